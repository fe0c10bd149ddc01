package io.wellkeeper;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A mutual exclusion {@link Lock} with the behaviour of a fair {@link java.util.concurrent.locks.ReentrantLock}, shared
 * by all threads of all processes that use the same name on the same store.
 *
 * <pre>{@code
 * lock.lock();
 * try {
 *     orders.save(order, lock.fencingToken());   // the storage refuses a smaller token than it has seen
 * } finally {
 *     lock.unlock();
 * }
 * }</pre>
 *
 * <p>The lock belongs to the thread that acquired it, which may acquire it again (see {@link LockOptions#reentrant()})
 * and must release it as often as it acquired it. {@link #acquire()} and its variants return a {@link LockHandle}
 * instead, which is bound to no thread. All {@code DistributedLock} objects of one client and one name are the same
 * lock.
 *
 * <p><b>Order.</b> Over a ticket store, acquisitions are served in the order in which they took their numbers. The
 * threads of one client share a number and hand the lock over among themselves, first come first served, within the
 * bound of {@link LockOptions#handOvers()}. When the bound is reached, a thread of this client that still waits takes a
 * new number only then, and so stands behind the threads of other clients that came in the meantime. With a bound of 0
 * every acquisition takes a number of its own, when it begins. Unlike {@code ReentrantLock}, untimed {@link #tryLock()}
 * does not overtake waiters; it never waits itself. Over a lease store there is no order between processes.
 *
 * <p><b>Cost.</b> A free lock takes one round trip to acquire; releasing sends one request and does not wait for the
 * reply. A reentrant acquisition and a hand-over cost no round trip.
 *
 * <p><b>Failure.</b> When the holder's process dies, the lock passes on after the session timeout. When the process is
 * paused, or cut off from the store, for longer than its locks are safe, the lock is lost. That time is a little less
 * than {@link ClientOptions#sessionTimeout()} (see {@link #remaining()}). From the moment of the loss on, {@link
 * #isHeldByCurrentThread()} is false, and {@link #fencingToken()}, {@link #checkHeld()} and {@link #unlock()} throw
 * {@link LockLostException}, by this process's own monotonic clock and without asking the store. (A machine that is
 * suspended as a whole may stop that clock: then only the token helps.) A thread that lost the lock must still call
 * {@code unlock()} as often as it locked; until then {@code lock()} and {@code tryLock()} throw {@code
 * LockLostException} too (handles are bound to no thread and can still be acquired). While the store cannot be reached,
 * {@link #lock()} waits, and a timed try ends at its deadline: with false or empty, or with {@link LockStoreException}
 * once the client knows that the store does not answer.
 *
 * <p><b>Inspection.</b> {@link LockAdmin#inspect} shows who holds the lock, and who waits, for how long and why.
 *
 * <p><b>Fencing.</b> No lock can stop a process that was paused after its last check from writing when it wakes; only
 * the storage can. Give it {@link #fencingToken()} with each write and let it refuse a token smaller than the largest
 * it has seen.
 *
 * <p><b>Memory consistency effects.</b> Actions before an {@code unlock()} in a thread <i>happen-before</i> actions
 * after the next successful acquisition of the same lock in this process. Processes share no memory; their critical
 * sections are ordered by their fencing tokens.
 */
public interface DistributedLock extends Lock {

    /** {@return the lock's name} */
    String name();

    /**
     * Acquires the lock, waiting for as long as it takes. An interrupt does not end the wait; the thread's interrupt
     * status is set when the method returns.
     *
     * @throws LockLostException if this thread has lost this lock and not yet unlocked it
     * @throws LockStoreException if the store refuses for a reason that waiting does not remove, such as a wrong
     *     password. While the store merely cannot be reached, the call waits
     * @throws LockClientClosedException if the client is, or is being, closed
     * @throws IllegalStateException if this thread holds the lock and it is not reentrant
     * @throws Error if the hold count would exceed {@link Integer#MAX_VALUE}
     */
    @Override
    void lock();

    /**
     * As {@link #lock()}, but ends with an exception when the thread is interrupted, before or while it waits. The
     * place in the queue is given up.
     *
     * @throws InterruptedException if interrupted; the interrupt status is cleared
     */
    @Override
    void lockInterruptibly() throws InterruptedException;

    /**
     * Acquires the lock only if nobody has it and nobody waits for it, or if this thread has it already and it is reentrant.
     * Costs at most one round trip, and is not ended by an interrupt.
     *
     * @return whether the lock is now held
     * @throws LockLostException as {@link #lock()}
     * @throws LockStoreException if the store refuses, or does not answer within {@link ClientOptions#storeTimeout()}
     * @throws LockClientClosedException as {@link #lock()}
     * @throws IllegalStateException as {@link #lock()}
     */
    @Override
    boolean tryLock();

    /**
     * Acquires the lock if that can be done in the given time. A time of zero or less does not wait in the queue: it is
     * a {@link #tryLock()} that honours interrupts. The deadline holds whatever the connection does: with any other
     * time that is shorter than the store takes to answer, the call fails to acquire the lock, even if the lock is
     * free.
     *
     * <p>If the store cannot be reached, the client learns of it only after a short time. A call whose time is over
     * before that returns false; a later call, or a call with a longer time, throws an exception. A caller must expect
     * both.
     *
     * @param time the longest time to wait
     * @param unit of {@code time}
     * @return false if the time passed first
     * @throws InterruptedException if interrupted; the place in the queue is given up
     * @throws LockStoreException if the store refuses; or if it did not answer in that time, and it is known by then that it
     *     does not: it has said why, the client's session has ended without it, or it has had
     *     {@link ClientOptions#storeTimeout()} for this request
     * @throws LockLostException as {@link #lock()}
     * @throws LockClientClosedException as {@link #lock()}
     * @throws IllegalStateException as {@link #lock()}
     */
    @Override
    boolean tryLock(long time, TimeUnit unit) throws InterruptedException;

    /**
     * Releases the lock, or one of several holds of this thread. Does not wait for the store's reply unless
     * {@link LockOptions#awaitRelease()} says so; if the store cannot be reached the hold has ended all the same, and
     * the ticket is given back as soon as it can be, at the latest when the session ends.
     *
     * @throws LockLostException if the lock was lost before; nothing of anybody else's is released
     * @throws IllegalMonitorStateException if this thread does not hold the lock
     */
    @Override
    void unlock();

    /**
     * A condition of this lock, like {@link java.util.concurrent.locks.Condition}, for the threads of all processes.
     * {@link DistributedCondition} lists the differences.
     *
     * <p>The first condition made by a {@code DistributedLock} object is the same as the first made by any other object
     * of the same lock, in whatever process; likewise the second, and so on. So processes that run the same code get
     * the same conditions. To tell conditions apart by name, use {@link #newCondition(String)}.
     *
     * @return a condition that only a thread which holds this lock may use
     * @throws UnsupportedOperationException if this is a read lock, or the store keeps no queue
     */
    @Override
    DistributedCondition newCondition();

    /**
     * The condition of this name.
     *
     * @param name letters, digits and {@code - _ .}, at most 32
     * @return a condition that only a thread which holds this lock may use
     * @throws IllegalArgumentException if the name breaks the rule
     * @throws UnsupportedOperationException if this is a read lock, or the store keeps no queue
     */
    DistributedCondition newCondition(String name);

    /**
     * The number to send with each write to the storage that the lock protects; see {@link LockHandle#fencingToken()}.
     *
     * @return the same number during all nested holds; no round trip
     * @throws LockLostException if this thread lost the lock
     * @throws IllegalMonitorStateException if this thread does not hold the lock
     * @throws UnsupportedOperationException if the store cannot give a token that always grows
     */
    long fencingToken();

    /** {@return whether this thread holds the lock for certain, by this process's own clock} No round trip. */
    boolean isHeldByCurrentThread();

    /** {@return how many holds of this lock this thread has; 0 if it does not hold it, or has lost it} No round trip. */
    int getHoldCount();

    /**
     * Does nothing if this thread holds the lock.
     *
     * @throws LockLostException if it lost the lock
     * @throws IllegalMonitorStateException if it does not hold the lock
     */
    void checkHeld();

    /**
     * For how long from now this thread is certain to hold the lock, even if the store never answers again.
     *
     * @return zero if it does not hold it
     */
    Duration remaining();

    /**
     * Runs an action once, on the client's callback executor, if the lock that this thread now holds is lost before it
     * is released. To hear of every loss, see {@link LockListener#lost}.
     *
     * @param action what to run
     * @return to take it back
     * @throws LockLostException if it is lost already
     * @throws IllegalMonitorStateException if this thread does not hold the lock
     */
    Registration onLost(Runnable action);

    /**
     * As {@link LockHandle#onRevocationRequested}, for the hold that this thread now has.
     *
     * @param listener told on the client's callback executor
     * @return to take it back
     * @throws LockLostException if it is lost already
     * @throws IllegalMonitorStateException if this thread does not hold the lock
     */
    Registration onRevocationRequested(RevocationListener listener);

    /**
     * As {@link #lockInterruptibly()}, for a handle that is bound to no thread. It is never reentrant: a thread that has this
     * lock already, by {@link #lock()} or by a handle, waits here for itself.
     *
     * @return the lock, held
     * @throws InterruptedException if interrupted before or while waiting
     */
    LockHandle acquire() throws InterruptedException;

    /**
     * As {@link #tryLock()}, for a handle.
     *
     * @return empty if anybody holds the lock (this thread included) or waits for it
     */
    Optional<LockHandle> tryAcquire();

    /**
     * As {@link #tryLock(long, TimeUnit)}, for a handle.
     *
     * @param timeout the longest time to wait
     * @return empty if the time passed first
     * @throws InterruptedException if interrupted before or while waiting
     * @throws LockStoreException as {@link #tryLock(long, TimeUnit)}
     */
    Optional<LockHandle> tryAcquire(Duration timeout) throws InterruptedException;

    /**
     * Acquires the lock without blocking any thread. Cancelling the future, or completing it in any other way, leaves
     * the queue, and releases the lock if it has been acquired by then. The future completes on the client's callback
     * executor, so its dependent stages should return soon; as with every future, a stage that is added after
     * completion runs on the thread that adds it. The future fails with the exceptions that {@link #acquire()} throws.
     *
     * <p>Cancel this future itself, not a stage derived from it: cancelling a derived stage does not cancel this
     * future, which then acquires a lock that nobody releases. {@link #withLockAsync} releases the lock in any case.
     *
     * @return the handle, when the lock is held; fails with {@link IllegalStateException} if this client uses the name for
     *     something else
     */
    CompletableFuture<LockHandle> acquireAsync();

    /**
     * As {@link #acquireAsync()}, with a deadline.
     *
     * @param timeout the longest time to wait
     * @return empty if the time passed first; fails as {@link #tryLock(long, TimeUnit)} if the store does not answer
     */
    CompletableFuture<Optional<LockHandle>> tryAcquireAsync(Duration timeout);

    /**
     * Runs an action while the lock is held, without blocking any thread. The lock is acquired as by {@link
     * #acquireAsync()}. It is released when the action throws, or when the stage that the action returned is complete,
     * whatever happens to the future that this method returns.
     *
     * <pre>{@code
     * CompletableFuture<Void> sent = lock.withLockAsync(handle -> report.sendAsync(handle.fencingToken()));
     * // and to give up: sent.cancel(true)
     * }</pre>
     *
     * <p>Cancelling the future, or completing it in any other way, leaves the queue if the lock is not held yet; the
     * action then does not begin. An action that has begun goes on, and the lock is held until it ends. So {@link
     * CompletableFuture#orTimeout orTimeout} limits the wait for the lock, and for the action's result.
     *
     * @param <T> the type of the action's result
     * @param action begins on the client's callback executor, where it should return soon; or on the calling thread, if
     *     the lock is held by then. The action need not close the handle. With {@link LockOptions#awaitRelease()} the
     *     thread that completes the action's stage waits until the store has acknowledged the release
     * @return completed like the stage of the action, when the lock has been released. It fails like the future of
     *     {@link #acquireAsync()} if the lock cannot be acquired, with the exception that the action throws, or with
     *     {@link LockLostException} if the lock was lost before the action ended
     */
    default <T extends @Nullable Object> CompletableFuture<T> withLockAsync(
            Function<? super LockHandle, ? extends CompletionStage<T>> action) {
        Objects.requireNonNull(action, "action");
        return WithLock.when(acquireAsync(), action);
    }
}
