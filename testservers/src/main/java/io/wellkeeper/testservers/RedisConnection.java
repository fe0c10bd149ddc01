package io.wellkeeper.testservers;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Speaks to a Redis server as an operator does, with no client library. Not thread-safe. */
public final class RedisConnection implements AutoCloseable {

    private static final int TIMEOUT_MILLIS = 5_000;

    private final Socket socket = new Socket();
    private final InputStream in;
    private final OutputStream out;

    private RedisConnection(int port) throws IOException {
        try {
            socket.setTcpNoDelay(true);
            socket.setSoTimeout(TIMEOUT_MILLIS);
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), TIMEOUT_MILLIS);
            in = new BufferedInputStream(socket.getInputStream());
            out = new BufferedOutputStream(socket.getOutputStream());
        } catch (IOException failed) {
            socket.close();
            throw failed;
        }
    }

    /**
     * Connects.
     *
     * @param port of a server on this machine
     * @throws IOException if no server answers there
     */
    public static RedisConnection to(int port) throws IOException {
        return new RedisConnection(port);
    }

    /**
     * Sends a command and waits for the answer.
     *
     * @param command its words
     * @return a text, a {@link Long}, a list of these, or null
     * @throws IOException if the server does not answer within seconds
     * @throws IllegalStateException if it answers with an error
     */
    public @Nullable Object call(String... command) throws IOException {
        writeLine("*" + command.length);
        for (String word : command) {
            byte[] bytes = word.getBytes(StandardCharsets.UTF_8);
            writeLine("$" + bytes.length);
            out.write(bytes);
            writeLine("");
        }
        out.flush();
        return read();
    }

    private void writeLine(String line) throws IOException {
        out.write((line + "\r\n").getBytes(StandardCharsets.UTF_8));
    }

    private @Nullable Object read() throws IOException {
        String line = readLine();
        String rest = line.substring(1);
        return switch (line.charAt(0)) {
            case '+' -> rest;
            case ':' -> Long.valueOf(rest);
            case '-' -> throw new IllegalStateException("the server answers: " + rest);
            case '$' -> readText(Integer.parseInt(rest));
            case '*' -> readList(Integer.parseInt(rest));
            default -> throw new IOException("not an answer of Redis: " + line);
        };
    }

    private String readLine() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int b = in.read(); b != '\r'; b = in.read()) {
            if (b < 0) {
                throw new EOFException("the server has closed the connection");
            }
            line.write(b);
        }
        in.skipNBytes(1);
        return line.toString(StandardCharsets.UTF_8);
    }

    private @Nullable String readText(int length) throws IOException {
        if (length < 0) {
            return null;
        }
        byte[] bytes = in.readNBytes(length);
        in.skipNBytes(2);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private @Nullable Object readList(int size) throws IOException {
        if (size < 0) {
            return null;
        }
        List<@Nullable Object> list = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            list.add(read());
        }
        return list;
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException ignored) {
            // the connection is of no use any more in either case
        }
    }
}
