package io.wellkeeper;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReadWriteLock;

/**
 * A {@link ReadWriteLock} with the behaviour of a fair {@link java.util.concurrent.locks.ReentrantReadWriteLock}, shared
 * by all threads of all processes that use the same name on the same store; and a third view, the upgradeable read.
 *
 * <pre>{@code
 * DistributedReadWriteLock catalogue = client.readWriteLock("catalogue");
 * catalogue.writeLock().lock();
 * try {
 *     update(catalogue.writeLock().fencingToken());
 *     catalogue.readLock().lock();          // downgrade: take the read lock first ...
 * } finally {
 *     catalogue.writeLock().unlock();       // ... from here on other readers come in, and no writer
 * }
 * try {
 *     announce();
 * } finally {
 *     catalogue.readLock().unlock();
 * }
 * }</pre>
 *
 * <p>The three views are {@link DistributedLock}s: each has handles, an asynchronous face, a fencing token and
 * announced loss. The {@code LockClient.lock} of the same name excludes all of them.
 *
 * <p><b>Order.</b> Strictly by number: a reader that comes after a waiting writer waits for it. Neither side starves. The
 * readers of one client share a number; a reader joins those of its client who are in already only as often and for as
 * long as the bound of {@link LockOptions#handOvers()} allows while others wait.
 *
 * <p><b>Reentrancy.</b> Readers and writers may acquire again what they hold. A writer may take the read lock, and a
 * holder of the upgradeable read may take either of the others. Each view counts for itself. A thread that holds only
 * the read lock cannot take the write lock, nor the upgradeable read, because it would wait for itself:
 * {@code lock()}, {@code lockInterruptibly()} and {@code acquire()}... throw {@link IllegalStateException} at once, and
 * {@code tryLock} returns false at once, with or without a time. (ReentrantReadWriteLock blocks for ever.) Handles are
 * bound to no thread, so they are never reentrant; {@link #downgrade} and {@link #upgrade} are for them what taking one
 * view while holding another is for threads.
 *
 * <p><b>Upgrade.</b> The {@linkplain #upgradeableReadLock() upgradeable read} is held by one at a time, beside any
 * number of readers. Its holder becomes the writer by acquiring the write lock: it waits until the readers that are in
 * have left, lets no new ones in, and no other writer comes between. It may take back the write lock and go on reading.
 *
 * <p><b>Fencing.</b> The tokens of writers grow with every grant, upgrades included. The token of a reader is larger
 * than that of every writer before it: let the storage refuse a read whose token is smaller than that of the last
 * write, and remember only the tokens of writes.
 *
 * <p><b>Cost.</b> As {@link DistributedLock}; a downgrade sends one request and does not wait for it, an upgrade takes
 * one round trip when there are no readers.
 *
 * <p><b>Conditions</b> belong to the write lock; {@code newCondition()} of the other two throws
 * {@link UnsupportedOperationException}.
 */
public interface DistributedReadWriteLock extends ReadWriteLock {

    /** The lock's name. */
    String name();

    /** Held by any number at once, beside one holder of the upgradeable read. */
    @Override
    DistributedLock readLock();

    /** Held by one, and nobody else beside it. */
    @Override
    DistributedLock writeLock();

    /** A read that can become the writer: held by one at a time, beside any number of readers. */
    DistributedLock upgradeableReadLock();

    /**
     * Gives a handle of the read lock for one of the write lock or the upgradeable read, which is closed: other readers
     * come in, and no writer between. Waits for nothing, and sends one request.
     *
     * @param handle of this name and client
     * @return what to close in its place
     * @throws IllegalArgumentException if it is a handle of anything else
     * @throws IllegalStateException if it was upgraded and the writer's handle is open, or if it is that one and the
     *     other is open: to close the writer's handle is to go on reading
     * @throws LockLostException if it was lost
     * @throws IllegalMonitorStateException if it was closed
     */
    LockHandle downgrade(LockHandle handle);

    /**
     * Becomes the writer by a handle of the upgradeable read, which stays open: waits until the readers that are in have
     * left, and lets no new ones in. To close the writer's handle is to go on reading by the other one.
     *
     * @param handle of this name and client
     * @throws InterruptedException if interrupted before or while waiting; the handle is as it was
     * @throws IllegalArgumentException if it is a handle of anything else
     * @throws LockLostException if it was lost, or is lost while waiting
     * @throws IllegalMonitorStateException if it was closed, or is closed while waiting
     * @throws LockStoreException if the store refuses
     */
    LockHandle upgrade(LockHandle handle) throws InterruptedException;

    /** As {@link #upgrade}, if that can be done in the given time; zero or less does not wait for readers. */
    Optional<LockHandle> tryUpgrade(LockHandle handle, Duration timeout) throws InterruptedException;

    /** As {@link #upgrade}, blocking no thread; see {@link DistributedLock#acquireAsync()}. */
    CompletableFuture<LockHandle> upgradeAsync(LockHandle handle);

    /** As {@link #tryUpgrade}, blocking no thread; see {@link DistributedLock#tryAcquireAsync(Duration)}. */
    CompletableFuture<Optional<LockHandle>> tryUpgradeAsync(LockHandle handle, Duration timeout);
}
