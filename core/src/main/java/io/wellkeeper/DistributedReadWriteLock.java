package io.wellkeeper;

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
 * bound to no thread, so they are never reentrant.
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
}
