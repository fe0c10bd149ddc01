package io.wellkeeper;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Condition;

/**
 * A {@link Condition} of a {@link DistributedLock}, for the threads of all processes; and for those who hold the lock by
 * a handle, blocking no thread.
 *
 * <p><b>Where it differs from {@link Condition}.</b> A wait, also one that was interrupted, may come back without the lock:
 * if the lock was lost, the client is closed, or the store refuses to give it again. Then it throws what says so, in place
 * of {@link InterruptedException} too, and the interrupt status is set; see <i>Failure</i>. Signalling asks the store, so
 * {@link #signal()} and {@link #signalAll()} may fail with a {@link LockStoreException}.
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
 * <p><b>Waiting for a limited time.</b> As with the JDK's conditions a wait always releases the lock and acquires it again,
 * be its time over at once: whoever queues for the lock has it before the wait returns, as far as
 * {@link LockOptions#handOvers()} and {@link LockOptions#retain()} allow for any release. Only a thread that is interrupted
 * when it begins to wait keeps the lock, and one to whom the store refuses the wait, with a {@link LockStoreException}. A
 * wait whose time is over before the store has answered releases the lock at once, and then goes on until the answer comes
 * or {@link ClientOptions#storeTimeout()} is over, so that waits do not pile up; its deadline is that of the signal, and not
 * of the return.
 *
 * <p><b>Failure.</b> When a wait returns, or throws {@link InterruptedException}, the lock is held as often as before. It is
 * not held, as nobody could hold it, if it was lost before it was released or right after it was acquired again
 * ({@link LockLostException}), if the client is closed ({@link LockClientClosedException}), or if the store refuses to give
 * it again ({@link LockStoreException}): ask {@link DistributedLock#isHeldByCurrentThread()} before unlocking.
 *
 * <p><b>Cost.</b> Waiting takes one round trip before the lock is released, and after the signal the acquisition of the
 * lock and two round trips. A wait for no time (zero or less) costs a release and an acquisition of the lock. A signal takes
 * two round trips, and one message goes to each client that has waiters.
 */
public interface DistributedCondition extends Condition {

    /**
     * Gives the lock up, waits to be signalled, and acquires the lock again.
     *
     * @param held a handle of this lock; it is closed when the lock is given up
     * @return another handle, completed on the client's callback executor; fails with {@link LockLostException} if the lock
     *     is lost before it is given up, and with {@link LockStoreException} if the store refuses, when {@code held} is as
     *     it was. To cancel it, or to complete it in any other way, ends the wait: close {@code held} then, in case it
     *     still is held
     * @throws IllegalArgumentException if the handle is one of anything else
     * @throws IllegalMonitorStateException if it is not held
     */
    CompletableFuture<LockHandle> awaitAsync(LockHandle held);

    /**
     * As {@link #awaitAsync(LockHandle)}, waiting for a signal for this time at most. The lock is given up and acquired again
     * in any case, however short the time is (zero and less included), and however long that takes.
     *
     * @param held a handle of this lock; it is closed when the lock is given up
     * @param timeout the longest time to wait for a signal
     * @return another handle, completed as that of {@link #awaitAsync(LockHandle)}, be it by a signal or by the time
     * @throws IllegalArgumentException if the handle is one of anything else
     * @throws IllegalMonitorStateException if it is not held
     */
    CompletableFuture<LockHandle> awaitAsync(LockHandle held, Duration timeout);

    /**
     * As {@link #signal()}, for one who holds the lock by a handle.
     *
     * @param held a handle of this lock
     * @return completed when the store has been told; until then the handle must not be closed. It fails with
     *     {@link LockStoreException} if the store refuses, or does not answer within {@link ClientOptions#storeTimeout()};
     *     there may or may not have been a signal then
     * @throws IllegalArgumentException if the handle is one of anything else
     * @throws IllegalMonitorStateException if it is not held
     */
    CompletableFuture<Void> signalAsync(LockHandle held);

    /**
     * As {@link #signalAsync}, for all who wait.
     *
     * @param held a handle of this lock
     * @return as that of {@link #signalAsync}
     * @throws IllegalArgumentException if the handle is one of anything else
     * @throws IllegalMonitorStateException if it is not held
     */
    CompletableFuture<Void> signalAllAsync(LockHandle held);
}
