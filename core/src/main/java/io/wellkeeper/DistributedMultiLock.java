package io.wellkeeper;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Lock;

/**
 * Many locks as one {@link Lock}: all of them or none. Made by {@link LockClient#all}.
 *
 * <pre>{@code
 * DistributedMultiLock both = client.all("accounts/17", "accounts/42");
 * both.lock();
 * try {
 *     transfer(17, 42, both.fencingTokens());
 * } finally {
 *     both.unlock();
 * }
 * }</pre>
 *
 * <p>The members are waited for one after another in an order that is the same everywhere (that of their names), so
 * that two multi-locks never wait for each other, whatever order they were given in. Members that are free cost one
 * round trip together; a try that does not wait takes one round trip for each. It asks for the members one after
 * another, so that if several callers try at the same moment, one of them gets all members, unless somebody else holds
 * one. A timed try has one deadline over all members, and over what is asked of the store on the way: what the store
 * gives later is given back when it comes. The answer at the deadline is false or empty; it is a {@link
 * LockStoreException} if the store was silent for as long as {@link ClientOptions#storeTimeout()}, or is not in touch.
 * If an acquisition ends without success, for whatever reason, no member is left held.
 *
 * <p>A thread that holds the multi-lock holds each member, and may acquire both again; locking a single member and then
 * the multi-lock breaks the order, and may wait for ever where two do it. If such a member is lost while the others are
 * waited for, the acquisition ends with {@link LockLostException}. The loss of one member is the loss of all:
 * {@link #isHeldByCurrentThread()} is false from then on, and {@link #unlock()} releases what is left and throws
 * {@link LockLostException}. {@link #newCondition()} throws {@link UnsupportedOperationException}.
 */
public interface DistributedMultiLock extends Lock {

    /** {@return the names of the members, in the order in which they are waited for} */
    List<String> names();

    /**
     * {@return the fencing token of each member, by its name} See {@link DistributedLock#fencingToken()}.
     *
     * @throws LockLostException if one of them is lost
     * @throws IllegalMonitorStateException if this thread does not hold all of them
     */
    Map<String, Long> fencingTokens();

    /** {@return whether this thread holds all members for certain, by this process's own clock} No round trip. */
    boolean isHeldByCurrentThread();

    /**
     * Does nothing if this thread holds all members.
     *
     * @throws LockLostException if one of them is lost
     * @throws IllegalMonitorStateException if this thread does not hold all of them
     */
    void checkHeld();

    /**
     * Has something run once, on the client's callback executor, when the first of the members that this thread now holds
     * is lost.
     *
     * @param action what to run
     * @return to take it back
     * @throws LockLostException if one of them is lost already
     * @throws IllegalMonitorStateException if this thread does not hold all of them
     */
    Registration onLost(Runnable action);

    /**
     * As {@link #lockInterruptibly()}, for a handle that is bound to no thread.
     *
     * @return all members, held
     * @throws InterruptedException if interrupted before or while waiting; no member is left held
     * @throws IllegalStateException if this thread holds the read lock of which a member is the write lock: it would wait for
     *     itself
     */
    MultiLockHandle acquire() throws InterruptedException;

    /**
     * As {@link #tryLock()}, for a handle.
     *
     * @return empty if somebody has one of them
     */
    Optional<MultiLockHandle> tryAcquire();

    /**
     * As {@link #tryLock(long, java.util.concurrent.TimeUnit)}, for a handle.
     *
     * @param timeout the longest time to wait for all of them; zero or less does not wait
     * @return empty if somebody has one of them, or the time passed first
     * @throws InterruptedException if interrupted before or while waiting; no member is left held
     */
    Optional<MultiLockHandle> tryAcquire(Duration timeout) throws InterruptedException;

    /**
     * Acquires all members without blocking any thread; see {@link DistributedLock#acquireAsync()}.
     *
     * @return the handle, when all members are held
     */
    CompletableFuture<MultiLockHandle> acquireAsync();

    /**
     * As {@link #acquireAsync()}, with a deadline.
     *
     * @param timeout the longest time to wait for all of them
     * @return empty if the time passed first
     */
    CompletableFuture<Optional<MultiLockHandle>> tryAcquireAsync(Duration timeout);
}
