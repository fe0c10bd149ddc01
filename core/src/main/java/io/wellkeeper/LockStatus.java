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

    /**
     * Makes the lists immutable.
     *
     * @param name the lock's name
     * @param holders copied
     * @param waiters copied
     * @param lastBreak empty if it was never broken, or the store does not remember
     */
    public LockStatus {
        holders = List.copyOf(holders);
        waiters = List.copyOf(waiters);
    }

    /**
     * The status of a lock that was never broken, as far as the store remembers.
     *
     * @param name the lock's name
     * @param holders those inside, in the order of their numbers
     * @param waiters those who wait, in the order of their numbers
     */
    public LockStatus(String name, List<Participant> holders, List<Participant> waiters) {
        this(name, holders, waiters, Optional.empty());
    }
}
