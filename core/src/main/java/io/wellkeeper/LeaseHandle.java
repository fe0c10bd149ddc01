package io.wellkeeper;

import java.time.Duration;

/** A lock that is held until the end of its lease at the latest; see {@link LeaseClient#acquireLease}. */
public interface LeaseHandle extends LockHandle {

    /**
     * Moves the end of the lease to this length from now; an end that is later already stays as it is. Takes one round
     * trip and waits for it, so call it well before {@link #remaining()} is over.
     *
     * @param length counted from now, at least 10 ms
     * @throws IllegalArgumentException if it is shorter
     * @throws LockLostException if the lock was lost, or the lease has ended before the request reaches the store
     * @throws IllegalMonitorStateException if the handle was closed
     * @throws LockStoreException if the store refuses, or does not answer within {@link ClientOptions#storeTimeout()};
     *     the holder may then rely on the lease only for as long as before, though the store may have made it longer
     * @throws LockClientClosedException as soon as the client is closed
     */
    void extend(Duration length);
}
