package io.wellkeeper.internal;

import io.wellkeeper.spi.Mode;
import io.wellkeeper.spi.Ticket;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * What makes one primitive differ from another: who in the queue keeps me out.
 *
 * <p>A rule is pure and monotone: taking tickets away from those ahead never adds a blocker. So a list that still shows
 * some who have departed can keep me out for a moment too long, and never lets me in too early.
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
        return (mine, ahead) -> last(ahead, ticket -> !ticket.mode().toleratesReaders());
    }

    /** The read that can become the writer: readers do not matter. */
    static AdmissionRule upgradeable() {
        return (mine, ahead) -> last(ahead, ticket -> ticket.mode() != Mode.SHARED);
    }

    /**
     * A holder of the upgradeable read becomes the writer: the readers among those who {@link #concern} it matter.
     *
     * @param upgradeable the number of the ticket by which it reads
     */
    static AdmissionRule upgrade(long upgradeable) {
        return new AdmissionRule() {
            @Override
            public List<Ticket> blockers(Ticket mine, List<Ticket> ahead) {
                return last(ahead, ticket -> ticket.mode() == Mode.SHARED);
            }

            /**
             * The readers behind a waiting writer wait as he does for the upgradeable ticket ahead of them. Should he
             * give up meanwhile they look at the whole queue before they enter, see the upgrade, and go behind it. A
             * writer ahead of the upgradeable ticket has departed: otherwise that would not have been let in.
             */
            @Override
            public List<Ticket> concern(List<Ticket> ahead) {
                List<Ticket> inside = new ArrayList<>();
                for (Ticket ticket : ahead) {
                    if (ticket.number() > upgradeable
                            && (ticket.mode() == Mode.EXCLUSIVE || ticket.mode() == Mode.WRITE)) {
                        break;
                    }
                    inside.add(ticket);
                }
                return inside;
            }
        };
    }

    private static List<Ticket> last(List<Ticket> ahead, Predicate<Ticket> which) {
        for (int i = ahead.size() - 1; i >= 0; i--) {
            if (which.test(ahead.get(i))) {
                return List.of(ahead.get(i));
            }
        }
        return List.of();
    }

    /**
     * Those ahead who can ever matter, judged once, when the number has been drawn.
     *
     * @param ahead those with smaller numbers, smallest first
     */
    default List<Ticket> concern(List<Ticket> ahead) {
        return ahead;
    }

    /**
     * The blockers, and those who would be the blockers once these are gone. Watching both lets the next look at the
     * queue happen while the predecessor is still inside, so that its departure alone is enough to enter.
     */
    default List<Ticket> worthWatching(Ticket mine, List<Ticket> ahead) {
        List<Ticket> blockers = blockers(mine, ahead);
        if (blockers.isEmpty()) {
            return blockers;
        }
        List<Ticket> rest = new ArrayList<>(ahead);
        rest.removeAll(blockers);
        List<Ticket> watched = new ArrayList<>(blockers);
        watched.addAll(blockers(mine, rest));
        return watched;
    }
}
