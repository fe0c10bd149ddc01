package io.wellkeeper.cli.demo;

import java.util.ArrayDeque;
import java.util.Deque;

/** Closes the opened resources, the last first, when the demonstration ends: by itself, by a failure or by a signal. */
final class Closer implements AutoCloseable {

    private final Deque<AutoCloseable> opened = new ArrayDeque<>(); // guarded by this
    private final Thread hook = new Thread(this::closeAll, "cleanup");
    private boolean closed; // guarded by this

    Closer() {
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /** Remembers to close a resource; at once if the end has already come. */
    <T extends AutoCloseable> T register(T resource) {
        boolean late;
        synchronized (this) {
            late = closed;
            if (!late) {
                opened.push(resource);
            }
        }
        if (late) {
            closeQuietly(resource);
        }
        return resource;
    }

    synchronized boolean isClosed() {
        return closed;
    }

    private void closeAll() {
        Deque<AutoCloseable> mine;
        synchronized (this) {
            closed = true;
            mine = new ArrayDeque<>(opened);
            opened.clear();
        }
        mine.forEach(Closer::closeQuietly);
    }

    private static void closeQuietly(AutoCloseable resource) {
        try {
            resource.close();
        } catch (Exception failed) {
            // the others must still be closed, and nothing can be done about this one
        }
    }

    @Override
    public void close() {
        closeAll();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException shuttingDown) {
            // the hook finds nothing left to do
        }
    }
}
