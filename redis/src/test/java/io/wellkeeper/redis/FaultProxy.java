package io.wellkeeper.redis;

import io.wellkeeper.testservers.Resp;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Function;

/**
 * Stands in front of a server that speaks RESP3, and decides what becomes of each command: it is carried out, or it is carried
 * out and the connection breaks before the answer or arrives late, or it is answered with an error, or with something else, and never reaches
 * the server.
 */
final class FaultProxy implements AutoCloseable {

    /** Goes to the server, and its answer back. */
    static final String FORWARD = "";

    /** Goes to the server; instead of the answer, the connection ends. */
    static final String LOSE_REPLY = "-";

    /** What an error begins with that goes along with the answer to the next command. */
    static final String ALONG = "&";

    /** The connection ends; what is on the way to the server arrives there later, by {@link #deliver}. */
    static final String DELAY = "+";

    private final int target;
    private final ServerSocket listening;
    private final Set<Link> links = ConcurrentHashMap.newKeySet();
    private final Queue<byte[]> delayed = new ConcurrentLinkedQueue<>();
    private volatile Function<List<String>, String> rule = command -> FORWARD;

    FaultProxy(int target) {
        this.target = target;
        try {
            listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
        start(this::accept);
    }

    private static void start(Runnable work) {
        Thread thread = new Thread(work, "fault-proxy");
        thread.setDaemon(true);
        thread.start();
    }

    String address() {
        return "127.0.0.1:" + listening.getLocalPort();
    }

    /** A list of texts, for a command that never reaches the server. */
    static String answer(String... texts) {
        StringBuilder list = new StringBuilder("*" + texts.length + "\r\n");
        for (String text : texts) {
            list.append("$").append(text.length()).append("\r\n").append(text).append("\r\n");
        }
        return list.toString();
    }

    /**
     * What becomes of the commands from now on.
     *
     * @param rule given the words of each; says {@link #FORWARD}, {@link #LOSE_REPLY}, {@link #DELAY}, an error, which may be
     *     {@link #ALONG}, or an {@link #answer}
     */
    void rule(Function<List<String>, String> rule) {
        this.rule = rule;
    }

    /** Has the server receive what was delayed, and carry it out. */
    void deliver() {
        for (byte[] command = delayed.poll(); command != null; command = delayed.poll()) {
            try (Socket server = new Socket(InetAddress.getLoopbackAddress(), target)) {
                server.getOutputStream().write(command);
                Resp.value(new BufferedInputStream(server.getInputStream()));
            } catch (IOException failed) {
                throw new UncheckedIOException(failed);
            }
        }
    }

    private void accept() {
        while (!listening.isClosed()) {
            try {
                Socket client = listening.accept();
                Socket server = new Socket(InetAddress.getLoopbackAddress(), target);
                client.setTcpNoDelay(true);
                server.setTcpNoDelay(true);
                Link link = new Link(client, server);
                links.add(link);
                start(link::answers);
                start(link::commands);
            } catch (IOException closed) {
                // and so is the proxy; or there is no server
            }
        }
    }

    @Override
    public void close() {
        quietly(listening);
        links.forEach(Link::end);
    }

    private static void quietly(Closeable thing) {
        try {
            thing.close();
        } catch (IOException gone) {
            // it is closed
        }
    }

    private final class Link {

        private final Socket client;
        private final Socket server;
        private final BlockingQueue<byte[]> answers = new LinkedBlockingQueue<>();
        private final ByteArrayOutputStream along = new ByteArrayOutputStream(); // guarded by this

        Link(Socket client, Socket server) {
            this.client = client;
            this.server = server;
        }

        void end() {
            links.remove(this);
            quietly(client);
            quietly(server);
            answers.add(new byte[0]);
        }

        /** Messages go through at once, answers in the order of their commands; some of those are pushed too. */
        void answers() {
            try {
                InputStream from = new BufferedInputStream(server.getInputStream());
                while (true) {
                    byte[] frame = Resp.value(from);
                    if (Resp.isMessage(frame)) {
                        write(frame);
                    } else {
                        answers.add(frame);
                    }
                }
            } catch (IOException ended) {
                end();
            }
        }

        void commands() {
            try {
                InputStream from = new BufferedInputStream(client.getInputStream());
                while (true) {
                    byte[] frame = Resp.value(from);
                    List<String> words = Resp.words(frame);
                    String fate = rule.apply(words);
                    if (fate.equals(FORWARD) || fate.equals(LOSE_REPLY)) {
                        server.getOutputStream().write(frame);
                        byte[] answer = answers.take();
                        if (fate.equals(LOSE_REPLY)) {
                            throw new EOFException("on purpose");
                        }
                        write(answer);
                    } else if (fate.equals(DELAY)) {
                        delayed.add(frame);
                        throw new EOFException("on purpose");
                    } else if (fate.startsWith(ALONG)) {
                        keep(error(fate.substring(ALONG.length())));
                    } else {
                        String text = fate.startsWith("*") ? fate : error(fate);
                        write(text.getBytes(StandardCharsets.UTF_8));
                    }
                }
            } catch (IOException ended) {
                end();
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
            }
        }

        private static String error(String words) {
            return "-" + words + "\r\n";
        }

        private synchronized void keep(String error) {
            along.writeBytes(error.getBytes(StandardCharsets.UTF_8));
        }

        private synchronized void write(byte[] frame) throws IOException {
            OutputStream to = client.getOutputStream();
            along.writeBytes(frame);
            along.writeTo(to);
            along.reset();
            to.flush();
        }
    }
}
