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
 * <p><b>Cost.</b> Counting down takes two round trips, and more if other clients count down at the same moment. The threads of
 * one client that count down while an earlier one of it is under way do so together, by one change. Whoever waits looks once;
 * what those of one client who wait ask afterwards they share, beyond the first few.
 *
 * <p>The methods throw {@link LockStoreException} if the store does not answer within
 * {@link ClientOptions#storeTimeout()}, or refuses a change for as long; {@link #await()} goes on waiting while the store
 * cannot be reached.
 */
public interface DistributedLatch {

    /** {@return the latch's name} */
    String name();

    /**
     * Sets the count if it is zero. Who waits for the count before goes on, even if it had no time to see that one at zero.
     *
     * @param count 1 or more
     * @return false if the count is not zero, be it this count or another
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
     * As {@link #await()}, with a deadline. A latch that is open is found open whatever the time; for a store that does not
     * answer it waits no longer than {@link ClientOptions#storeTimeout()} beyond that.
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

    /** Sets the count to zero: everybody who waits goes on. */
    void delete();
}
