package io.wellkeeper.testkit.process;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/** What goes over a wire of Redis, in bytes. */
final class Resp {

    private Resp() {}

    /** Reads one value, with all that is in it. */
    static byte[] value(InputStream from) throws IOException {
        ByteArrayOutputStream whole = new ByteArrayOutputStream();
        copy(from, whole);
        return whole.toByteArray();
    }

    private static void copy(InputStream from, ByteArrayOutputStream to) throws IOException {
        String line = line(from, to);
        switch (line.charAt(0)) {
            case '$', '=', '!' -> {
                int length = Integer.parseInt(line.substring(1));
                if (length >= 0) {
                    byte[] bytes = from.readNBytes(length + 2);
                    if (bytes.length < length + 2) {
                        throw new EOFException();
                    }
                    to.write(bytes);
                }
            }
            case '*', '~', '>' -> values(Integer.parseInt(line.substring(1)), from, to);
            case '%' -> values(2 * Integer.parseInt(line.substring(1)), from, to);
            default -> {}
        }
    }

    private static void values(int count, InputStream from, ByteArrayOutputStream to) throws IOException {
        for (int i = 0; i < count; i++) {
            copy(from, to);
        }
    }

    private static String line(InputStream from, ByteArrayOutputStream to) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = from.read(); c != '\n'; c = from.read()) {
            if (c < 0) {
                throw new EOFException();
            }
            to.write(c);
            line.append((char) c);
        }
        to.write('\n');
        if (line.length() < 2) {
            throw new IOException("not a value of Redis: " + line);
        }
        return line.substring(0, line.length() - 1);
    }

    /** Whether a value came by itself, as messages do: it answers no command. */
    static boolean isMessage(byte[] value) {
        if (value[0] != '>') {
            return false;
        }
        String text = new String(value, StandardCharsets.ISO_8859_1);
        int name = text.indexOf("\r\n", text.indexOf("\r\n") + 2) + 2;
        return text.substring(name, text.indexOf("\r\n", name)).endsWith("message");
    }
}
