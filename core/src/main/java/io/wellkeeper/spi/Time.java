package io.wellkeeper.spi;

import io.wellkeeper.Registration;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

/**
 * The clock and the timer of one client. The real clock is monotonic; a test may drive its own. Thread-safe. A store
 * may serve several clients, so it uses {@link #later later} and {@link #limit limit}.
 */
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
     * @param answer a timer makes it fail when it takes too long
     * @return the result of {@code answer}
     * @throws InterruptedException if interrupted before or while waiting; the answer may still come
     * @throws ExecutionException if {@code answer} failed, with its failure as the cause
     */
    default <T> T await(CompletableFuture<T> answer) throws InterruptedException, ExecutionException {
        return answer.get();
    }

    /**
     * Runs something later, on a daemon thread that all stores of this program share, and that ends when there has been
     * nothing to do for a moment. The whole program shares the thread of {@link CompletableFuture#delayedExecutor
     * CompletableFuture.delayedExecutor} and {@link CompletableFuture#orTimeout orTimeout}: code that blocked that
     * thread would keep a store from connecting again, and all locks would be lost.
     *
     * @param delay from now; not negative
     * @param task short, and never blocks
     * @return closing it cancels the task if it has not begun
     */
    static Registration later(Duration delay, Runnable task) {
        return StoreAlarms.after(delay, task);
    }

    /**
     * Has a future fail with {@link TimeoutException} if it is not complete by then, as
     * {@link CompletableFuture#orTimeout orTimeout} does, but {@linkplain #later by a thread of the stores}.
     *
     * @param <T> what it is completed with
     * @param future the future
     * @param most how long it may take from now; not negative
     * @return the same future
     */
    static <T> CompletableFuture<T> limit(CompletableFuture<T> future, Duration most) {
        Registration alarm = later(most, () -> future.completeExceptionally(new TimeoutException()));
        future.whenComplete((done, failure) -> alarm.close());
        return future;
    }
}
