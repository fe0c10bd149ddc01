package io.wellkeeper.testservers;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** The protocol of Redis, RESP, in bytes. */
public final class Resp {

    private Resp() {}

    /**
     * Reads one value, with all values in it.
     *
     * @throws EOFException if the stream ends within the value
     * @throws IOException also if the bytes are no value
     */
    public static byte[] value(InputStream from) throws IOException {
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

    /** The words of a command or of a message; words that are no texts are left out. */
    public static List<String> words(byte[] value) {
        List<String> words = new ArrayList<>();
        String text = new String(value, StandardCharsets.ISO_8859_1);
        int at = text.indexOf('\n') + 1;
        while (at < text.length() && text.charAt(at) == '$') {
            int end = text.indexOf('\r', at);
            int length = Integer.parseInt(text.substring(at + 1, end));
            words.add(text.substring(end + 2, end + 2 + length));
            at = end + 2 + length + 2;
        }
        return words;
    }

    /** Whether a value is a message, which answers no command. */
    public static boolean isMessage(byte[] value) {
        return value[0] == '>' && words(value).get(0).endsWith("message");
    }
}
