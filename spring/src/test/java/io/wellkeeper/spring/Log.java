package io.wellkeeper.spring;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** What is written to the log, which is the standard error stream, while this is open. */
final class Log implements AutoCloseable {

    private final PrintStream before = System.err;
    private final ByteArrayOutputStream written = new ByteArrayOutputStream();

    Log() {
        System.setErr(new PrintStream(written, true, StandardCharsets.UTF_8));
    }

    String text() {
        return written.toString(StandardCharsets.UTF_8);
    }

    void clear() {
        written.reset();
    }

    @Override
    public void close() {
        System.setErr(before);
    }
}
