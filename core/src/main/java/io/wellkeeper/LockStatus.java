package io.wellkeeper;

import java.util.List;

/**
 * Who holds a lock and who waits for it, at one moment that may have passed.
 *
 * @param name the lock's name
 * @param holders those inside, in the order of their numbers
 * @param waiters those who wait, in the order of their numbers
 */
public record LockStatus(String name, List<Participant> holders, List<Participant> waiters) {

    /** Makes the lists immutable. */
    public LockStatus {
        holders = List.copyOf(holders);
        waiters = List.copyOf(waiters);
    }
}
