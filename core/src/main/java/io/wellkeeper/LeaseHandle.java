package io.wellkeeper;

import java.time.Duration;

/** A lock that is held until the end of its lease at the latest; see {@link LeaseClient#acquireLease}. */
public interface LeaseHandle extends LockHandle {

    /**
     * Makes the end of the lease so long from now; it never becomes earlier than it was. One round trip, for which it waits:
     * to be called well before {@link #remaining()} is over.
     *
     * @param length at least 10 ms
     * @throws IllegalArgumentException if it is shorter
     * @throws LockLostException if the lock was lost, or the lease is over by the time the store hears of it
     * @throws IllegalMonitorStateException if it was closed
     * @throws LockStoreException if the store refuses, or does not answer within {@link ClientOptions#storeTimeout()}; the
     *     lease is relied on for as long as it was before, though the store may have made it longer
     * @throws LockClientClosedException as soon as the client is closed
     */
    void extend(Duration length);
}
