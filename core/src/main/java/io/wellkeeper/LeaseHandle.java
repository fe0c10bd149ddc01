package io.wellkeeper;

import java.time.Duration;

/** A lock that is held until the end of its lease at the latest; see {@link LeaseClient#acquireLease}. */
public interface LeaseHandle extends LockHandle {

    /**
     * Has the lease last so long from now, if it does not last as long in any case. One round trip, for which it waits.
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
