package io.wellkeeper.spi;

import io.wellkeeper.Registration;
import java.time.Duration;

/** The clock and the alarm of one client. The real one is monotonic; a test may drive its own. Thread-safe. */
public interface Time {

    /** As {@link System#nanoTime()}: only differences mean something. */
    long nanoTime();

    /**
     * Runs something later, on a thread of its own.
     *
     * @param delay from now; not negative
     * @param task short, and never blocks
     * @return closing it cancels the task if it has not begun
     */
    Registration schedule(Duration delay, Runnable task);
}
