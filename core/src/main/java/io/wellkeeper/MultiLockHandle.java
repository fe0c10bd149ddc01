package io.wellkeeper;

import java.util.Map;

/** One acquisition of all members of a {@link DistributedMultiLock}: what befalls one of them befalls all. */
public interface MultiLockHandle extends Held {

    /**
     * {@return the fencing token of each member, by its name} No round trip.
     *
     * @throws LockLostException if one of them is lost
     * @throws IllegalMonitorStateException if it was closed
     */
    Map<String, Long> fencingTokens();
}
