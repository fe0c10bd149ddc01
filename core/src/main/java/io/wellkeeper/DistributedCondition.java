package io.wellkeeper;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Condition;

/**
 * A {@link Condition} of a {@link DistributedLock}, for the threads of all processes. Callers that hold the lock by a
 * handle can wait and signal without blocking a thread.
 *
 * <p><b>Where it differs from {@link Condition}.</b> A wait may end without the lock, even if it was interrupted: if
 * the lock was lost, the client is closed, or the store refuses to give the lock again. The wait then throws the
 * exception for that reason. If the thread was interrupted too, that exception takes the place of {@link
 * InterruptedException}, and the interrupt status is set; see <i>Failure</i>. A signal needs the store, so {@link
 * #signal()} and {@link #signalAll()} may fail with a {@link LockStoreException}.
 *
 * <pre>{@code
 * CompletableFuture<LockHandle> whenFull(LockHandle held) {
 *     return isFull() ? completedFuture(held) : full.awaitAsync(held).thenCompose(this::whenFull);
 * }
 * }</pre>
 *
 * <p>Waiters are signalled in the order in which they began to wait, over all processes. A waiter that was signalled,
 * but times out, is interrupted, is cancelled or dies before it has the lock again, passes the signal on to the next
 * waiter. As with every condition a wait may end without a signal (for example when the session was lost meanwhile), so
 * wait in a loop.
 *
 * <p><b>Waiting for a limited time.</b> As with the JDK's conditions a wait always releases the lock and acquires it
 * again, even if its time is over at once. So those who queue for the lock get it before the wait returns, within the
 * bounds that {@link LockOptions#handOvers()} and {@link LockOptions#retain()} set for every release. A thread keeps
 * the lock only if it is already interrupted when it begins to wait, or if the store refuses the wait with a {@link
 * LockStoreException}. If the time is over before the store has answered, the wait releases the lock at once, and
 * returns only when the answer comes or {@link ClientOptions#storeTimeout()} is over, so that waits do not pile up. The
 * time limits the wait for the signal, and not the time until the method returns.
 *
 * <p><b>Failure.</b> When a wait returns, or throws {@link InterruptedException}, the thread holds the lock as often as
 * before. That also holds if the store refuses to let it wait any longer: then the lock is acquired again, and the wait
 * throws {@link LockStoreException}. In three cases the thread does not hold the lock: if it was lost before it was
 * released or right after it was acquired again ({@link LockLostException}), if the client is closed ({@link
 * LockClientClosedException}), or if the store refuses to give it again ({@link LockStoreException}). Ask {@link
 * DistributedLock#isHeldByCurrentThread()} before unlocking.
 *
 * <p><b>Cost.</b> A wait takes one round trip before it releases the lock; after the signal it acquires the lock and
 * takes two more round trips. A wait for no time (zero or less) costs a release and an acquisition of the lock. A
 * signal takes two round trips, and sends one message to each client that has waiters.
 */
public interface DistributedCondition extends Condition {

    /**
     * Gives the lock up, waits to be signalled, and acquires the lock again.
     *
     * @param held a handle of this lock; it is closed when the lock is given up
     * @return a new handle, completed on the client's callback executor. The future fails with {@link
     *     LockLostException} if the lock is lost before it is given up, and with {@link LockStoreException} if the
     *     store refuses; in that last case the lock is not acquired again if it has been given up, else {@code held} is
     *     as it was. Cancelling the future, or completing it in any other way, ends the wait. After a failure and after
     *     such an end close {@code held}, because the lock may not have been given up yet
     * @throws IllegalArgumentException if the handle is one of anything else
     * @throws IllegalMonitorStateException if it is not held
     */
    CompletableFuture<LockHandle> awaitAsync(LockHandle held);

    /**
     * As {@link #awaitAsync(LockHandle)}, waiting for a signal for this time at most. The lock is always given up and
     * acquired again, however short the time is (zero and less included), and however long the acquisition takes.
     *
     * @param held a handle of this lock; it is closed when the lock is given up
     * @param timeout the longest time to wait for a signal
     * @return a new handle, completed as by {@link #awaitAsync(LockHandle)}, after a signal or when the time is over
     * @throws IllegalArgumentException if the handle is one of anything else
     * @throws IllegalMonitorStateException if it is not held
     */
    CompletableFuture<LockHandle> awaitAsync(LockHandle held, Duration timeout);

    /**
     * As {@link #signal()}, for a caller that holds the lock by a handle.
     *
     * @param held a handle of this lock
     * @return completed when the store has acknowledged the signal; do not close the handle before. It fails with
     *     {@link LockStoreException} if the store refuses, or does not answer within {@link
     *     ClientOptions#storeTimeout()}; the signal may or may not have been given then
     * @throws IllegalArgumentException if the handle is one of anything else
     * @throws IllegalMonitorStateException if it is not held
     */
    CompletableFuture<Void> signalAsync(LockHandle held);

    /**
     * As {@link #signalAsync}, for all waiters.
     *
     * @param held a handle of this lock
     * @return as that of {@link #signalAsync}
     * @throws IllegalArgumentException if the handle is one of anything else
     * @throws IllegalMonitorStateException if it is not held
     */
    CompletableFuture<Void> signalAllAsync(LockHandle held);
}
