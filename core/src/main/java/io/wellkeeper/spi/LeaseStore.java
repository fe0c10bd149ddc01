package io.wellkeeper.spi;

import io.wellkeeper.Registration;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * A store that only grants or refuses a lease: it keeps no order and knows no modes. For the simple locks, such as one
 * ephemeral node of ZooKeeper, {@code SET NX PX} of Redis, or a row under a unique index. Thread-safe.
 *
 * <p>The law ({@code LeaseStoreContract} in {@code wellkeeper-storekit}): release and renewal touch only the lease they
 * were given, because the store compares the owner. Of the owner's requests only a release makes a lease end earlier
 * than it would have ended. The tokens of a name only grow. A request for a lock that was sent after the release of a
 * lease is not refused because of that lease, even if the release has not been answered yet. No method blocks for
 * longer than sending takes.
 *
 * <p><b>Requests that come late.</b> The store may carry out a request that was given up, or that failed without an
 * answer, after later requests of the same owner that it has answered; the owner relies on those answers. So a renewal
 * for a short time that finds a lease which lasts longer leaves the lease as it is, and succeeds.
 *
 * <p><b>Failure.</b> Stages fail with {@link io.wellkeeper.LockStoreException}, whose message quotes the store. A
 * problem that may pass by itself is a plain {@code LockStoreException}: the client that wants the lock asks again,
 * ever less often. A problem that waiting does not remove is a {@link StoreRefusalException}: it ends the call, at
 * once. So does any other exception with which a stage fails or which a method throws, such as the error of a driver
 * that is missing, or the IllegalArgumentException with which {@link #tryAcquire} fails if the store cannot keep a lock
 * of that name. A refused request was not carried out.
 */
public interface LeaseStore extends AutoCloseable {

    /**
     * Tells the store, before the first request, how soon the locks of a client shall pass on when the client has died.
     * A store that keeps all leases of a client by one session needs this as the session's timeout; other stores use
     * the time to live of each request.
     *
     * @param timeout as in {@link io.wellkeeper.ClientOptions#sessionTimeout()}
     */
    default void expect(Duration timeout) {}

    /**
     * Asks for the lock once.
     *
     * <p>If the answer is lost, and the caller does not go on waiting, the client sends a {@link #release}, also when a
     * later request of the same owner has been refused. If the store carries out the request even after that release,
     * it grants a lease that nobody knows of; that lease ends by its time to live.
     *
     * @param request what the lease shall be
     * @return empty when somebody else has it
     */
    CompletionStage<Optional<Lease>> tryAcquire(LeaseRequest request);

    /**
     * Prolongs a lease, unless it already lasts that long.
     *
     * <p>A client does not call this for a lease of fixed length, unless {@link Lease#validity()} is less than half of
     * that length. Then the client renews the lease, again and again, for the rest of the length, and relies on it
     * until a fiftieth of the whole length is left.
     *
     * @param lease what {@link #tryAcquire} gave
     * @param ttl how long the lease lasts at least, counted from the arrival of this call
     * @return false when it has ended
     */
    CompletionStage<Boolean> renew(Lease lease, Duration ttl);

    /**
     * Ends a lease; may be repeated. It works also for a request whose answer is not known: the store compares only
     * name and owner.
     *
     * @param lease what {@link #tryAcquire} gave, or may have given
     * @return true if this call ended it
     */
    CompletionStage<Boolean> release(Lease lease);

    /**
     * Runs a hint when a lock may have become free. A hint may be missed, and may come although the lock is not free.
     *
     * @param name the lock's name
     * @param hint runs on the store's thread
     * @return closing it leaves nothing behind in the store
     */
    default Registration onRelease(String name, Runnable hint) {
        return Registration.NONE;
    }

    /** {@return where this store is, for messages: an address without secrets} */
    String address();

    /** Closes the connections that this object opened itself; a connection that was handed in stays open. */
    @Override
    void close();
}
