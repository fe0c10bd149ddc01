package io.wellkeeper;

import java.util.concurrent.locks.ReadWriteLock;

/**
 * A {@link ReadWriteLock} with the behaviour of a fair {@link java.util.concurrent.locks.ReentrantReadWriteLock}, shared
 * by all threads of all processes that use the same name on the same store.
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
 * <p>The two views are {@link DistributedLock}s: each has handles, an asynchronous face, a fencing token and
 * announced loss. The {@code LockClient.lock} of the same name excludes all of them.
 *
 * <p><b>Order.</b> Strictly by number: a reader that comes after a waiting writer waits for it. Neither side starves.
 * The readers of one client share a number; a reader joins those of its client who are in already only as often and for
 * as long as the bound of {@link LockOptions#handOvers()} allows while others wait. Untimed {@code tryLock()} of the
 * read lock gets in beside other readers, but unlike that of {@code ReentrantReadWriteLock} it does not overtake
 * waiters.
 *
 * <p><b>Reentrancy.</b> Readers and writers may acquire again what they hold. A thread that holds the write lock by
 * {@code lock()} may take the read lock by {@code lock()}. Each view counts its holds for itself. Handles are bound to
 * no thread, so they are never reentrant: a caller that holds the write lock, by a handle or not, and asks for a read
 * handle waits for ever. So does a caller that holds a read handle and asks for another one while a writer waits
 * between the two. To downgrade by handles, use {@link #downgrade}; a thread downgrades by taking the read lock while
 * it holds the write lock.
 *
 * <p><b>No upgrade.</b> A thread that holds only the read lock cannot take the write lock, because it would wait for
 * itself: {@code lock()}, {@code lockInterruptibly()} and {@code acquire()} throw {@link IllegalStateException} at once,
 * and {@code tryLock} and {@code tryAcquire} come to nothing at once, with or without a time. (ReentrantReadWriteLock
 * blocks for ever. The methods that give a future do not ask which thread calls them: they wait, until the read lock is
 * released or the time is over.) Release the read lock, acquire the write lock, and look again at what was read, because another
 * writer may have come between:
 *
 * <pre>{@code
 * catalogue.readLock().unlock();
 * catalogue.writeLock().lock();
 * try {
 *     if (isStillMissing(item)) {           // what was read may have changed meanwhile
 *         add(item);
 *     }
 * } finally {
 *     catalogue.writeLock().unlock();
 * }
 * }</pre>
 *
 * <p><b>Fencing.</b> The tokens of writers grow with every grant. The token of a reader is never smaller than that of a
 * writer before it; a writer who reads as well has one token for both, and so have those who read on with it. Let the
 * storage refuse a read whose token is smaller than that of the last write, and remember only the tokens of writes.
 *
 * <p><b>Cost.</b> As {@link DistributedLock}; a downgrade sends one request and does not wait for it.
 *
 * <p><b>Conditions</b> belong to the write lock; {@code newCondition()} of the read lock throws {@link
 * UnsupportedOperationException}. A thread that holds the read lock too would keep it while it waits, and nobody could
 * signal it: its wait throws {@link IllegalStateException} at once, while that of {@code ReentrantReadWriteLock} begins
 * to wait.
 */
public interface DistributedReadWriteLock extends ReadWriteLock {

    /** {@return the lock's name} */
    String name();

    /** Held by any number at once. */
    @Override
    DistributedLock readLock();

    /** Held by one, and nobody else beside it. */
    @Override
    DistributedLock writeLock();

    /**
     * Exchanges a handle of the write lock, which is closed, for a handle of the read lock: other readers come in, and
     * no writer comes between. Does not wait, and sends one request.
     *
     * @param handle of this name and client
     * @return the handle of the read lock, to be closed in place of {@code handle}
     * @throws IllegalArgumentException if it is a handle of anything else
     * @throws LockLostException if it was lost
     * @throws IllegalMonitorStateException if it was closed
     * @throws IllegalStateException if a transaction is to pass the lock on; the handle is as it was
     */
    LockHandle downgrade(LockHandle handle);
}
