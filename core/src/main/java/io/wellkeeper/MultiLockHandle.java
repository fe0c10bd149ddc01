package io.wellkeeper;

import java.util.Map;

/** One acquisition of all members of a {@link DistributedMultiLock}. If one member is lost, the handle is lost. */
public interface MultiLockHandle extends Held {

    /**
     * {@return the fencing token of each member, by its name} No round trip.
     *
     * @throws LockLostException if one of them is lost
     * @throws IllegalMonitorStateException if the handle was closed
     */
    Map<String, Long> fencingTokens();
}
