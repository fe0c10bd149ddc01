package io.wellkeeper.spi;

import io.wellkeeper.Registration;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** The clock and the alarm of one client. The real one is monotonic; a test may drive its own. Thread-safe. */
public interface Time {

    /** {@return nanoseconds as {@link System#nanoTime()}: only differences mean something} */
    long nanoTime();

    /**
     * Runs something later, on a thread of its own.
     *
     * @param delay from now; not negative
     * @param task short, and never blocks
     * @return closing it cancels the task if it has not begun
     */
    Registration schedule(Duration delay, Runnable task);

    /**
     * Waits for the answer to a question that a blocking call has put to the store. The calling thread parks; a test in
     * which one thread does everything lets time go on instead.
     *
     * @param <T> what is asked for
     * @param answer fails by an alarm when it takes too long
     * @return what it was completed with
     * @throws InterruptedException if interrupted before or while waiting; the answer may still come
     * @throws ExecutionException with what it failed with
     */
    default <T> T await(CompletableFuture<T> answer) throws InterruptedException, ExecutionException {
        return answer.get();
    }
}
