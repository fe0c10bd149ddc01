package io.wellkeeper;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A {@link java.util.concurrent.CyclicBarrier} shared by all processes that use the same name on the same store: parties
 * wait for each other, and then start anew.
 *
 * <p><b>Where it differs, on purpose.</b> A party that gives up, is interrupted or dies while it waits simply no longer
 * counts; it does not break the barrier for the others, who go on waiting until there are enough of them. (One that
 * gives up in the very moment in which the last one comes may be counted.) There is no barrier action: the party for
 * which {@code await} returns 0 can do it.
 *
 * <p><b>Failure.</b> A party whose session is lost while it waits finds out whether it has passed with the others before
 * that. If it has, it goes on; if not, it comes again by itself, behind those who wait. If the store knows no more, because
 * nobody is left of those who have passed, {@code await} fails with a {@link LockStoreException}: it does not wait for a
 * generation that it may not belong to. While the store cannot be reached it waits. It costs about two round trips to
 * come, and one to hear that all have come.
 */
public interface DistributedBarrier {

    /** The barrier's name. */
    String name();

    /** How many must come together. */
    int getParties();

    /**
     * Waits until so many parties wait.
     *
     * @return how many were still missing when this party came: {@code parties - 1} for the first, 0 for the last and for no
     *     other; two have the same if somebody between them gave up
     * @throws InterruptedException if interrupted; this party no longer counts
     * @throws LockStoreException if the session was lost, and nobody knows whether this party has passed
     * @throws LockClientClosedException if the client is closed; this party no longer counts
     */
    int await() throws InterruptedException;

    /**
     * As {@link #await()}, with a deadline. The last one goes on whatever its deadline, also with a time of zero or less;
     * for a store that does not answer it waits no longer than {@link ClientOptions#storeTimeout()} beyond that.
     *
     * @throws TimeoutException if the time passed first; this party no longer counts
     */
    int await(long timeout, TimeUnit unit) throws InterruptedException, TimeoutException;

    /** As {@link #await()}, without blocking any thread; cancelling the future takes this party out. */
    CompletableFuture<Integer> awaitAsync();

    /** As {@link #awaitAsync()}, failing with {@link TimeoutException} if the time passed first. */
    CompletableFuture<Integer> awaitAsync(Duration timeout);

    /** How many wait, at a moment that may have passed. */
    int getNumberWaiting();
}
