package io.wellkeeper;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * As a {@link java.util.concurrent.CyclicBarrier}, but never broken, and shared by all processes that use the same name on
 * the same store: parties wait for each other, and then start anew.
 *
 * <p><b>Where it differs from {@link java.util.concurrent.CyclicBarrier}, on purpose.</b> A party that gives up, is
 * interrupted or dies while it waits simply no longer counts; it does not break the barrier for the others, who go on
 * waiting until there are enough of them. (The others learn of it from the store, and may count that party until then.
 * So {@code await} throws only when the store has been told, or {@link ClientOptions#storeTimeout()} is over; futures
 * do not wait for that. A party that has died, or is cut off, may be counted until its session has ended.) So there is
 * no {@code BrokenBarrierException}, no {@code isBroken} and no {@code reset}. There is no barrier action: the party
 * for which {@code await} returns 0 can do it, while the others go on already.
 *
 * <p><b>Failure.</b> If the session of a waiting party is lost, the party finds out whether the barrier opened for it
 * before the loss. If so, it goes on; if not, it arrives again by itself, behind the other waiting parties. If the
 * store cannot tell any more, because none of the parties that passed is left, {@code await} fails with a {@link
 * LockStoreException}: the party does not wait for a generation that it may not belong to. So it does if the session is
 * lost in the first round trips after the arrival, before the party has read the state of the barrier. While the store
 * cannot be reached, the party waits. Arriving costs about two round trips, and learning that all have arrived costs one.
 */
public interface DistributedBarrier {

    /** {@return the barrier's name} */
    String name();

    /** {@return how many parties wait for each other} */
    int getParties();

    /**
     * Waits until {@link #getParties()} parties wait.
     *
     * @return how many were still missing when this party came: {@code parties - 1} for the first, 0 for the last and
     *     for no other; two parties get the same number if another one gave up between their arrivals
     * @throws InterruptedException if interrupted; this party no longer counts
     * @throws LockStoreException if the session was lost, and nobody knows whether this party has passed
     * @throws LockClientClosedException if the client is closed; this party no longer counts
     */
    int await() throws InterruptedException;

    /**
     * As {@link #await()}, with a deadline. The last one goes on whatever its deadline, also with a time of zero or less;
     * for a store that does not answer it waits no longer than {@link ClientOptions#storeTimeout()} beyond that.
     *
     * @param timeout the longest time to wait
     * @param unit of {@code timeout}
     * @return as {@link #await()}
     * @throws InterruptedException if interrupted; this party no longer counts
     * @throws TimeoutException if the time passed first; this party no longer counts
     * @throws LockStoreException as {@link #await()}
     * @throws LockClientClosedException as {@link #await()}
     */
    int await(long timeout, TimeUnit unit) throws InterruptedException, TimeoutException;

    /**
     * As {@link #await()}, without blocking any thread. Cancelling the future, or completing it in any other way, takes
     * this party out.
     *
     * @return how many were still missing when this party came, when all have come; completed on the client's callback
     *     executor
     */
    CompletableFuture<Integer> awaitAsync();

    /**
     * As {@link #awaitAsync()}, with a deadline, which is that of {@link #await(long, TimeUnit)}.
     *
     * @param timeout the longest time to wait
     * @return fails with {@link TimeoutException} if the time passed first; this party no longer counts
     */
    CompletableFuture<Integer> awaitAsync(Duration timeout);

    /**
     * {@return how many wait, at a moment that may have passed}
     *
     * @throws LockStoreException if the store does not answer within {@link ClientOptions#storeTimeout()}
     */
    int getNumberWaiting();
}
