package io.wellkeeper;

import java.util.List;
import java.util.Optional;

/**
 * Who holds a lock and who waits for it, at one moment that may have passed.
 *
 * @param name the lock's name
 * @param holders those inside, in the order of their numbers
 * @param waiters those who wait, in the order of their numbers
 * @param lastBreak the last time it was {@linkplain LockAdmin#breakLock broken}, as long as the store remembers
 */
public record LockStatus(
        String name, List<Participant> holders, List<Participant> waiters, Optional<LockBreak> lastBreak) {

    /** Makes the lists immutable. */
    public LockStatus {
        holders = List.copyOf(holders);
        waiters = List.copyOf(waiters);
    }

    /** As far as it was never broken. */
    public LockStatus(String name, List<Participant> holders, List<Participant> waiters) {
        this(name, holders, waiters, Optional.empty());
    }
}
