package io.wellkeeper.torture;

import io.wellkeeper.torture.Event.Kind;
import java.util.concurrent.TimeUnit;

/** Notices when this process does not run although no fault has stopped it, and writes that to the history. */
final class Stalls implements AutoCloseable {

    private static final long TICK = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long WORTH_A_LINE = TimeUnit.MILLISECONDS.toNanos(50);

    private final History history;
    private final int process;
    private final Thread thread = new Thread(this::watch, "stalls");

    private Stalls(History history, int process) {
        this.history = history;
        this.process = process;
    }

    /** Starts to look for stalls, on a daemon thread. */
    static Stalls watch(History history, int process) {
        Stalls stalls = new Stalls(history, process);
        stalls.thread.setDaemon(true);
        stalls.thread.start();
        return stalls;
    }

    private void watch() {
        long last = System.nanoTime();
        while (true) {
            try {
                TimeUnit.NANOSECONDS.sleep(TICK);
            } catch (InterruptedException ended) {
                return;
            }
            long now = System.nanoTime();
            if (now - last > WORTH_A_LINE) {
                history.add(new Event(last, Kind.STALLED, process, 0, "-", now - last, 0));
            }
            last = now;
        }
    }

    /** Stops looking and writing. */
    @Override
    public void close() throws InterruptedException {
        thread.interrupt();
        thread.join();
    }
}
