package io.wellkeeper;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * A {@link java.util.concurrent.CountDownLatch} shared by all processes that use the same name on the same store.
 *
 * <pre>{@code
 * client.latch("import/2026-11").trySetCount(3);   // once, by whoever starts the work
 * client.latch("import/2026-11").countDown();      // by each of three workers
 * client.latch("import/2026-11").await();          // by whoever waits for them
 * }</pre>
 *
 * <p>The count is kept in the store and belongs to no client: a worker that counts down and exits has counted. A latch
 * whose count was never set, or that was {@linkplain #delete() deleted}, has the count zero, and so is open. A latch
 * that has reached zero leaves nothing in the store.
 *
 * <p><b>Cost.</b> Counting down takes two round trips, and more if other clients count down at the same moment. If
 * several threads of one client count down while an earlier count-down of this client is under way, their count-downs
 * are sent together as one change. Each waiter reads the count once. After that only a few reads of one client are
 * under way at a time; the other waiters of the client share their answers.
 *
 * <p>The methods throw {@link LockStoreException} if the store does not answer within
 * {@link ClientOptions#storeTimeout()}, or refuses a change for as long; {@link #await()} goes on waiting while the store
 * cannot be reached.
 */
public interface DistributedLatch {

    /** {@return the latch's name} */
    String name();

    /**
     * Sets the count if it is zero. Callers that wait for the previous count go on, even if they had no time to see it
     * at zero.
     *
     * @param count 1 or more
     * @return false if the count is not zero, even if it already is {@code count}
     * @throws IllegalArgumentException if it is less than 1
     */
    boolean trySetCount(long count);

    /** Takes one off the count, if it is not zero. The last one opens the latch for everybody who waits. */
    void countDown();

    /** {@return the count, at a moment that may have passed} One round trip. */
    long getCount();

    /**
     * Waits until the count is zero.
     *
     * @throws InterruptedException if interrupted before or while waiting; the count is as it was
     */
    void await() throws InterruptedException;

    /**
     * As {@link #await()}, with a deadline. An open latch is found open however short the time is. If the store does
     * not answer, the call may take up to {@link ClientOptions#storeTimeout()} longer than the given time.
     *
     * @param timeout the longest time to wait; zero or less only asks
     * @param unit of {@code timeout}
     * @return false if the time passed first
     * @throws InterruptedException if interrupted before or while waiting; the count is as it was
     */
    boolean await(long timeout, TimeUnit unit) throws InterruptedException;

    /**
     * As {@link #await()}, without blocking any thread.
     *
     * @return completed when the count is zero, on the client's callback executor; cancelling it stops waiting
     */
    CompletableFuture<Void> awaitAsync();

    /**
     * As {@link #awaitAsync()}, with a deadline, which is that of {@link #await(long, TimeUnit)}.
     *
     * @param timeout the longest time to wait
     * @return false if the time passed first
     */
    CompletableFuture<Boolean> awaitAsync(Duration timeout);

    /** Sets the count to zero: all waiters go on. */
    void delete();
}
