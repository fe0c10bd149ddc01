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
 */
public interface DistributedBarrier {

    /** The barrier's name. */
    String name();

    /** How many must come together. */
    int parties();

    /**
     * Waits until so many parties wait.
     *
     * @return the place among those that go on together: {@code parties - 1} for the first that came, 0 for the last
     * @throws InterruptedException if interrupted; this party no longer counts
     */
    int await() throws InterruptedException;

    /**
     * As {@link #await()}, with a deadline.
     *
     * @throws TimeoutException if the time passed first; this party no longer counts
     */
    int await(long timeout, TimeUnit unit) throws InterruptedException, TimeoutException;

    /** As {@link #await()}, without blocking any thread; cancelling the future takes this party out. */
    CompletableFuture<Integer> awaitAsync();

    /** As {@link #awaitAsync()}, failing with {@link TimeoutException} if the time passed first. */
    CompletableFuture<Integer> awaitAsync(Duration timeout);

    /** How many wait, at a moment that may have passed. */
    int waiting();
}
