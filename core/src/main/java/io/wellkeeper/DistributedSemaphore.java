package io.wellkeeper;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * A counting semaphore with the behaviour of a fair {@link java.util.concurrent.Semaphore}, shared by all processes that
 * use the same name on the same store.
 *
 * <pre>{@code
 * DistributedSemaphore connections = client.semaphore("legacy-erp", 5);
 * try (LockHandle permit = connections.acquireHandle()) {
 *     erp.call(permit.fencingToken(), order);
 * }
 * }</pre>
 *
 * <p><b>Where it differs from {@link java.util.concurrent.Semaphore}, on purpose.</b> Permits belong to the client that
 * acquired them, and come back when it dies. So {@link #release()} gives back what this client acquired with
 * {@link #acquire()} and its sisters, by any of its threads, oldest first; it cannot make new permits, and throws
 * {@link IllegalMonitorStateException} when there is nothing to give back. To change how many there are, call
 * {@link #resize}. {@link #tryAcquire()} does not overtake those who wait. Whoever asks for more permits than there are
 * in all is refused at once.
 *
 * <p><b>The number of permits</b> is part of the semaphore, and kept in the store as long as it is in use: the first to
 * use it sets it, and who asks for the same name with another number gets an {@link IllegalStateException} that
 * names both; after about a second if whoever set it has gone. An object that has once agreed with the store follows when the semaphore is resized.
 *
 * <p><b>Order.</b> Strictly by number over all processes: a small request does not overtake a large one that waits.
 *
 * <p><b>Cost.</b> A free acquisition takes one round trip (four requests in all with the release), the first use of a
 * semaphore two. Releasing does not wait for the reply.
 *
 * <p><b>Failure and fencing.</b> As {@link DistributedLock}. Every acquisition has a fencing token of its own, larger than all before it;
 * it is only of use to a storage that can tell the holders apart.
 */
public interface DistributedSemaphore {

    /** The semaphore's name. */
    String name();

    /**
     * Acquires one permit, waiting for as long as it takes.
     *
     * @throws InterruptedException if interrupted before or while waiting; the place in the queue is given up
     * @throws IllegalStateException if the semaphore has another number of permits than this object was made with
     * @throws LockStoreException if the store refuses for a reason that no waiting removes; not when it merely cannot be
     *     reached, which is waited for
     * @throws LockClientClosedException if the client is, or is being, closed
     */
    default void acquire() throws InterruptedException {
        acquire(1);
    }

    /**
     * As {@link #acquire()}, for several permits at once: all or none.
     *
     * @param permits 1 or more, and at most as many as there are
     * @throws IllegalArgumentException if it is less than 1, or more than there are
     */
    void acquire(int permits) throws InterruptedException;

    /** As {@link #acquire()}, but not ended by an interrupt; the interrupt status is set when the method returns. */
    default void acquireUninterruptibly() {
        acquireUninterruptibly(1);
    }

    /** As {@link #acquireUninterruptibly()}, for several permits. */
    void acquireUninterruptibly(int permits);

    /** Acquires one permit if there is one and nobody waits. At most one round trip; not ended by an interrupt. */
    default boolean tryAcquire() {
        return tryAcquire(1);
    }

    /** As {@link #tryAcquire()}, for several permits. */
    boolean tryAcquire(int permits);

    /** Acquires one permit if that can be done in the given time; see {@link DistributedLock#tryLock(long, TimeUnit)}. */
    default boolean tryAcquire(long timeout, TimeUnit unit) throws InterruptedException {
        return tryAcquire(1, timeout, unit);
    }

    /** As {@link #tryAcquire(long, TimeUnit)}, for several permits. */
    boolean tryAcquire(int permits, long timeout, TimeUnit unit) throws InterruptedException;

    /** Gives one permit back that this client has acquired; see {@link #release(int)}. */
    default void release() {
        release(1);
    }

    /**
     * Gives permits back that this client has acquired with {@link #acquire()} or its sisters (not with a handle), by
     * whatever thread, oldest acquisition first. Part of what was acquired at once may be given back too.
     *
     * @param permits 1 or more
     * @throws LockLostException if some of them were lost; the rest is given back
     * @throws IllegalMonitorStateException if this client does not have so many; nothing is given back
     */
    void release(int permits);

    /** As {@link #acquire()}, for a handle that is bound to nothing and is the only way to give the permit back. */
    default LockHandle acquireHandle() throws InterruptedException {
        return acquireHandle(1);
    }

    /** As {@link #acquireHandle()}, for several permits, which are given back together. */
    LockHandle acquireHandle(int permits) throws InterruptedException;

    /** As {@link #tryAcquire(int, long, TimeUnit)}, for a handle; a timeout of zero does not wait. */
    Optional<LockHandle> tryAcquireHandle(int permits, Duration timeout) throws InterruptedException;

    /** Acquires permits without blocking any thread; see {@link DistributedLock#acquireAsync()}. */
    CompletableFuture<LockHandle> acquireHandleAsync(int permits);

    /** As {@link #acquireHandleAsync(int)}, with a deadline; empty if the time passed first. */
    CompletableFuture<Optional<LockHandle>> tryAcquireHandleAsync(int permits, Duration timeout);

    /**
     * How many permits can be had at once: those that nobody has, less those that somebody waits for already. At a moment
     * that may have passed. One round trip.
     *
     * @throws LockStoreException if the store does not answer within {@link ClientOptions#storeTimeout()}
     */
    int availablePermits();

    /**
     * Acquires all permits that are available, without waiting.
     *
     * @return how many; give them back with {@link #release(int)}
     */
    int drainPermits();

    /**
     * How many permits there are in all: what the store says, or the number this object was made with if the semaphore
     * is not in use.
     */
    int permits();

    /**
     * Changes how many permits there are in all, for everybody, at once. If there are fewer than are in use, nobody
     * loses one, but nobody gets one until enough have come back; whoever had one goes on being shown as a holder, and can be
     * asked for it. This object agrees with the store afterwards.
     *
     * @param permits 1 or more
     * @throws LockStoreException if the store does not answer within {@link ClientOptions#storeTimeout()}; it may or may
     *     not have been changed
     */
    void resize(int permits);
}
