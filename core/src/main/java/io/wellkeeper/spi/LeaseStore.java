package io.wellkeeper.spi;

import io.wellkeeper.Registration;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * A store that can only say yes or no: no order, no modes. For the simple locks, such as one ephemeral node of
 * ZooKeeper, {@code SET NX PX} of Redis, or a row under a unique index. Thread-safe.
 *
 * <p>The law ({@code LeaseStoreContract} in {@code wellkeeper-storekit}): release and renewal touch only the lease they
 * were given, the owner being compared in the store; no request of its owner but a release has a lease end earlier than it did
 * before; the tokens of a name only grow; a store that is asked for a lock after it was told to release it, which it may not have
 * answered yet, does not refuse it for that lease. No method blocks for longer than sending takes.
 *
 * <p><b>Requests that come late.</b> One that was given up, or failed without an answer, may be carried out after others of the
 * same owner that have been answered, by whose answers he goes. So a renewal for a short time that finds a lease which lasts
 * longer leaves it as it is, and succeeds.
 *
 * <p><b>Failure.</b> Stages fail with {@link io.wellkeeper.LockStoreException}, in the words of the store. What may pass is
 * plain, and is waited for: whoever wants the lock asks again, ever less often. What no waiting removes is a {@link
 * StoreRefusalException}: it ends the call, at once. So does anything else that a stage fails with or a method throws, such as
 * the error of a driver that is not there; and the IllegalArgumentException with which {@link #tryAcquire} fails if there
 * can be no lock of such a name. A refused request was not carried out.
 */
public interface LeaseStore extends AutoCloseable {

    /**
     * Says how soon what a client holds shall pass on when it has died, before it asks for anything. A store that keeps all
     * leases of a client by one session, which lasts so long, needs to know; others go by the time to live of each request.
     *
     * @param timeout as in {@link io.wellkeeper.ClientOptions#sessionTimeout()}
     */
    default void expect(Duration timeout) {}

    /**
     * Asks for the lock once.
     *
     * <p>If the answer is lost, and whoever asked does not go on to wait, a {@link #release} is sent, also when a later request
     * of the same owner has been refused. A request that the store carries out even later than that release gives a lease of
     * which nobody knows, and which ends by its time to live.
     *
     * @param request what the lease shall be
     * @return empty when somebody else has it
     */
    CompletionStage<Optional<Lease>> tryAcquire(LeaseRequest request);

    /**
     * Makes a lease live longer, if it does not in any case.
     *
     * <p>A holder who wants a lease for its time to live and no longer does not call this, unless {@link Lease#validity()} is
     * less than half of that time: then he has it renewed for what is left of it, again and again, and relies on it until a
     * fiftieth of the whole time is left.
     *
     * @param lease what {@link #tryAcquire} gave
     * @param ttl for which it lives at least, counted from the arrival of this call
     * @return false when it has ended
     */
    CompletionStage<Boolean> renew(Lease lease, Duration ttl);

    /**
     * Ends a lease; may be repeated. Also for a request whose answer is not known: only name and owner count.
     *
     * @param lease what {@link #tryAcquire} gave, or may have given
     * @return true if this call ended it
     */
    CompletionStage<Boolean> release(Lease lease);

    /**
     * Hints that a lock may have become free. A hint may be missed, and come for nothing.
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

    /** Lets go of what this object opened itself; a connection that was handed in stays open. */
    @Override
    void close();
}
