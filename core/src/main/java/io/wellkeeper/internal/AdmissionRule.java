package io.wellkeeper.internal;

import io.wellkeeper.spi.Mode;
import io.wellkeeper.spi.Ticket;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;

/**
 * The rule that distinguishes one primitive from another: which tickets in the queue keep me out.
 *
 * <p>A rule is pure and monotone: taking tickets away from those ahead never adds a blocker. So a list that still shows
 * departed tickets can keep me out for a moment too long, but never lets me in too early.
 */
@FunctionalInterface
interface AdmissionRule {

    /**
     * The tickets of which the departure of any one may let me in.
     *
     * @param mine my ticket
     * @param ahead those with smaller numbers, smallest first
     * @return empty if I am in
     */
    List<Ticket> blockers(Ticket mine, List<Ticket> ahead);

    /**
     * As many permits as there are: 1 makes a mutex, or the write side of a read-write lock.
     *
     * <p>Walks back from the nearest predecessor, adding permits, until they exceed what is left beside mine; that
     * suffix is the answer. The nearest predecessor alone would be wrong for more than one permit: any of the suffix may
     * depart first.
     *
     * @param available not less than I want
     */
    static AdmissionRule permits(int available) {
        return (mine, ahead) -> {
            long free = (long) available - mine.permits();
            int from = ahead.size();
            while (from > 0 && free >= 0) {
                free -= ahead.get(--from).permits();
            }
            return free >= 0 ? List.of() : ahead.subList(from, ahead.size());
        };
    }

    /** The read side of a read-write lock: only the last ticket ahead that tolerates no readers matters. */
    static AdmissionRule shared() {
        return (mine, ahead) -> {
            int last = ahead.size() - 1;
            while (last >= 0 && ahead.get(last).mode() == Mode.SHARED) {
                last--;
            }
            return last < 0 ? List.of() : List.of(ahead.get(last));
        };
    }

    /**
     * The blockers, and the tickets that would be the blockers once these are gone. Watching both lets the next look at
     * the queue happen while the predecessor is still inside, so that its departure alone is enough to enter.
     */
    default List<Ticket> worthWatching(Ticket mine, List<Ticket> ahead) {
        List<Ticket> blockers = blockers(mine, ahead);
        if (blockers.isEmpty()) {
            return blockers;
        }
        List<Ticket> rest = new ArrayList<>(ahead);
        rest.removeAll(new HashSet<>(blockers)); // a semaphore may have many of them
        List<Ticket> watched = new ArrayList<>(blockers);
        watched.addAll(blockers(mine, rest));
        return watched;
    }
}
