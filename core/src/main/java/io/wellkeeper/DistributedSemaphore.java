package io.wellkeeper;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * A counting semaphore, as a fair {@link java.util.concurrent.Semaphore}, shared by all processes that use the same name on
 * the same store.
 *
 * <pre>{@code
 * DistributedSemaphore connections = client.semaphore("legacy-erp", 5);
 * try (Permits permit = connections.acquire()) {
 *     erp.call(permit.fencingToken(), order);
 * }
 * }</pre>
 *
 * <p><b>Where it differs from {@link java.util.concurrent.Semaphore}, on purpose.</b> An acquisition returns a {@link
 * Permits} object, and closing it gives the permits back. Any thread may close it; but nobody can give back permits
 * that were not acquired, and so make new ones. The permits come back when the client dies. To change the total number
 * of permits, call {@link #resize}. {@link #tryAcquire()} does not overtake those who wait. A call that asks for more
 * permits than there are in all is refused, as soon as it has a number.
 *
 * <p><b>The number of permits</b> is part of the semaphore, and kept in the store as long as it is in use. The first
 * client that uses the semaphore sets the number. A client that asks for the same name with another number gets an
 * {@link IllegalStateException} that names both: at once, or after about a second if the client that set it has gone
 * and others still use it. An object that has once agreed with the store follows when the semaphore is resized; one
 * that is made later must be made with the new number.
 *
 * <p><b>Order.</b> Strictly by number over all processes: a small request does not overtake a large one that waits. At
 * most 128 waiters of one client have numbers at a time. The others wait within the client for a number, first come
 * first served, and other clients do not see them. So thousands may wait, and each costs about the same.
 *
 * <p><b>Cost.</b> A free acquisition takes one round trip (four requests in all with the release), the first use of a
 * semaphore two. Releasing does not wait for the reply.
 *
 * <p><b>Failure and fencing.</b> As {@link DistributedLock}. Every acquisition has a fencing token of its own, larger than all
 * before it; it is only of use to a storage that can tell the holders apart.
 */
public interface DistributedSemaphore {

    /** {@return the semaphore's name} */
    String name();

    /**
     * Acquires one permit, waiting for as long as it takes.
     *
     * @return to be closed
     * @throws InterruptedException if interrupted before or while waiting; the place in the queue is given up
     * @throws IllegalStateException if the semaphore has another number of permits than this object was made with
     * @throws LockStoreException if the store refuses for a reason that no waiting removes; not when it merely cannot be
     *     reached, which is waited for
     * @throws LockClientClosedException if the client is, or is being, closed
     */
    default Permits acquire() throws InterruptedException {
        return acquire(1);
    }

    /**
     * As {@link #acquire()}, for several permits at once: all or none.
     *
     * @param permits 1 or more, and at most as many as there are
     * @return to be closed; one object for all of them
     * @throws InterruptedException if interrupted before or while waiting; the place in the queue is given up
     * @throws IllegalArgumentException if it is less than 1, or more than there are
     */
    Permits acquire(int permits) throws InterruptedException;

    /**
     * Acquires one permit if there is one and nobody waits. At most one round trip; not ended by an interrupt.
     *
     * @return empty if there is none, or somebody waits
     * @throws IllegalStateException as {@link #acquire()}
     * @throws LockStoreException if the store refuses, or does not answer within {@link ClientOptions#storeTimeout()}
     */
    default Optional<Permits> tryAcquire() {
        return tryAcquire(1);
    }

    /**
     * As {@link #tryAcquire()}, for several permits: all or none.
     *
     * @param permits 1 or more, and at most as many as there are
     * @return empty if there are not so many, or somebody waits
     * @throws IllegalArgumentException if it is less than 1, or more than there are
     */
    Optional<Permits> tryAcquire(int permits);

    /**
     * Acquires one permit if that can be done in the given time; see {@link DistributedLock#tryAcquire(Duration)}.
     *
     * @param timeout the longest time to wait; zero or less does not wait
     * @return empty if the time passed first
     * @throws InterruptedException if interrupted before or while waiting; the place in the queue is given up
     */
    default Optional<Permits> tryAcquire(Duration timeout) throws InterruptedException {
        return tryAcquire(1, timeout);
    }

    /**
     * As {@link #tryAcquire(Duration)}, for several permits: all or none.
     *
     * @param permits 1 or more, and at most as many as there are
     * @param timeout the longest time to wait; zero or less does not wait
     * @return empty if the time passed first
     * @throws InterruptedException if interrupted before or while waiting; the place in the queue is given up
     * @throws IllegalArgumentException if there are to be less than 1, or more than there are
     */
    Optional<Permits> tryAcquire(int permits, Duration timeout) throws InterruptedException;

    /**
     * Acquires permits without blocking any thread; see {@link DistributedLock#acquireAsync()}. Whatever is to be done with
     * them, close them when it has ended:
     *
     * <pre>{@code
     * connections.acquireAsync(1).thenAccept(permit -> CompletableFuture.runAsync(() -> erp.call(order))
     *         .whenComplete((done, failed) -> permit.close()));
     * }</pre>
     *
     * @param permits 1 or more, and at most as many as there are
     * @return the permits, when all of them are held; fails as {@link #acquire(int)}
     * @throws IllegalArgumentException at once, if it is less than 1, or more than this object was made with and it has not
     *     agreed with the store on another number yet
     */
    CompletableFuture<Permits> acquireAsync(int permits);

    /**
     * As {@link #acquireAsync(int)}, with a deadline.
     *
     * @param permits 1 or more, and at most as many as there are
     * @param timeout the longest time to wait; zero or less does not wait
     * @return empty if the time passed first
     * @throws IllegalArgumentException at once, if it is less than 1, or more than this object was made with and it has not
     *     agreed with the store on another number yet
     */
    CompletableFuture<Optional<Permits>> tryAcquireAsync(int permits, Duration timeout);

    /**
     * Acquires all permits that are available, without waiting. One round trip to ask how many there are, and one more
     * to acquire them; again, if others were faster.
     *
     * @return empty if there are none, or others went before until {@link ClientOptions#storeTimeout()} had passed
     * @throws LockStoreException if the store does not answer within {@link ClientOptions#storeTimeout()}
     */
    Optional<Permits> drainPermits();

    /**
     * {@return how many permits can be had at once: those that nobody has, less those that somebody waits for already} At a
     * moment that may have passed. One round trip.
     *
     * @throws LockStoreException if the store does not answer within {@link ClientOptions#storeTimeout()}
     */
    int availablePermits();

    /**
     * {@return how many permits there are in all: what the store says, or the number that this object knows if the semaphore
     * is not in use} One round trip.
     *
     * @throws LockStoreException if the store does not answer within {@link ClientOptions#storeTimeout()}
     */
    int permits();

    /**
     * Changes the total number of permits, at once and for all clients, until nobody uses the semaphore any more:
     * programs that use it later must be made with the new number. If more permits are in use than the new number,
     * nobody loses one, but nobody gets one until enough have come back. Their holders are still shown as holders, and
     * can be asked to give them up. Only a client that has not heard of the change yet may hand a permit that one of
     * its threads gives back to another of its threads, so there are never more in use than there were. This object
     * agrees with the store afterwards.
     *
     * @param permits 1 or more
     * @throws IllegalArgumentException if it is less than 1
     * @throws LockStoreException if the store does not answer within {@link ClientOptions#storeTimeout()}; it may or may
     *     not have been changed
     */
    void resize(int permits);
}
