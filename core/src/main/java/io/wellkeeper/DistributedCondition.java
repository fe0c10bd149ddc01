package io.wellkeeper;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Condition;

/**
 * A {@link Condition} of a {@link DistributedLock}, for the threads of all processes; and for those who hold the lock by
 * a handle, blocking no thread.
 *
 * <pre>{@code
 * CompletableFuture<LockHandle> whenFull(LockHandle held) {
 *     return isFull() ? completedFuture(held) : full.awaitAsync(held).thenCompose(this::whenFull);
 * }
 * }</pre>
 *
 * <p>Waiters are signalled in the order in which they began to wait, over all processes. One who has been signalled and
 * times out, is interrupted, is cancelled or dies before it has the lock again passes the signal on to the next. As
 * everywhere a wait may end for no reason (it does so when the session was lost meanwhile), so wait in a loop.
 *
 * <p><b>Cost.</b> Waiting takes one round trip before the lock is released, and after the signal the acquisition of the
 * lock and two round trips. A signal takes two round trips, and one message goes to each client that has waiters.
 */
public interface DistributedCondition extends Condition {

    /**
     * Gives the lock up, waits to be signalled, and acquires the lock again.
     *
     * @param held a handle of this lock; it is closed when the lock is given up
     * @return another handle, completed on the client's callback executor; fails with {@link LockLostException} if the lock
     *     is lost before it is given up, and with {@link LockStoreException} if the store refuses, when {@code held} is as
     *     it was. To cancel it ends the wait: close {@code held} then, in case it still is held
     * @throws IllegalArgumentException if the handle is one of anything else
     * @throws IllegalMonitorStateException if it is not held
     */
    CompletableFuture<LockHandle> awaitAsync(LockHandle held);

    /**
     * As {@link #awaitAsync(LockHandle)}, waiting for a signal for this time at most. The lock is acquired again in any
     * case, and however long that takes.
     *
     * @return another handle; or the same, if the time had passed before the lock was given up
     */
    CompletableFuture<LockHandle> awaitAsync(LockHandle held, Duration timeout);

    /**
     * As {@link #signal()}, for one who holds the lock by a handle.
     *
     * @return completed when the store has been told; until then the handle must not be closed
     * @throws IllegalArgumentException if the handle is one of anything else
     * @throws IllegalMonitorStateException if it is not held
     */
    CompletableFuture<Void> signalAsync(LockHandle held);

    /** As {@link #signalAsync}, for all who wait. */
    CompletableFuture<Void> signalAllAsync(LockHandle held);
}
