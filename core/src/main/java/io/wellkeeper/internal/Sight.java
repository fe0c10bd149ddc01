package io.wellkeeper.internal;

import io.wellkeeper.spi.Ticket;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * What one waiter knows of its queue, and the questions by which it comes to know more, one at a time. What departs while
 * a question is under way may stand in the answer all the same, so it is remembered. Guarded by the waiter's lock.
 */
final class Sight {

    /** What is known of those ahead, from the weakest to the strongest. */
    private enum Basis {
        /** Somebody who has departed may have been replaced by a milder ticket, which nobody has seen. */
        DOUBT,
        /** The last answer, and who has departed since. */
        PROOF,
        /** The last answer, and nobody of it has departed since. */
        ANSWER
    }

    private List<Ticket> ahead = new ArrayList<>(); // no living ticket is missing; some of these may have departed
    private Basis basis = Basis.ANSWER;
    private boolean othersBehind;

    private int questions; // numbers them
    private boolean asking;
    private boolean again; // once this question has been answered
    private boolean outdated; // this question was put too early
    private final Set<Ticket> departedMeanwhile = new HashSet<>(); // since it was put
    private final Set<Ticket> replacedMeanwhile = new HashSet<>(); // perhaps; some of these

    /** Those ahead of me, smallest first. */
    List<Ticket> ahead() {
        return ahead;
    }

    /** Whether somebody may be ahead who has not been seen; only another answer can tell. */
    boolean isInDoubt() {
        return basis == Basis.DOUBT;
    }

    /** Whether those ahead are only what the departures have left of an earlier answer. */
    boolean isProof() {
        return basis == Basis.PROOF;
    }

    /** Whether others were behind me when the whole queue was seen. */
    boolean hasOthersBehind() {
        return othersBehind;
    }

    boolean isAsking() {
        return asking;
    }

    /** The question under way is to be put once more. */
    void askAgain() {
        again = true;
    }

    /** The answer under way may be too old to be of use. */
    void outdate() {
        outdated = asking;
    }

    /** A number or the queue is asked for; answers to earlier questions are of no use any more. */
    int ask() {
        asking = true;
        again = false;
        outdated = false;
        departedMeanwhile.clear();
        replacedMeanwhile.clear();
        return ++questions;
    }

    /** @return false if nobody waits for this answer */
    boolean answer(int question) {
        boolean awaited = asking && question == questions;
        asking &= !awaited;
        return awaited;
    }

    /** It is over: those ahead, who may be many, are not kept. */
    void close() {
        ahead = new ArrayList<>();
    }

    /** Nobody waits for an answer any more. */
    void stopAsking() {
        asking = false;
    }

    /** Whether the answer just given was too old. */
    boolean isOutdated() {
        return outdated;
    }

    /** Whether somebody has asked for another answer since this question was put. */
    boolean isAskedAgain() {
        return again;
    }

    /** My number has been drawn. */
    void drawn(List<Ticket> smaller) {
        basis = outdated ? Basis.DOUBT : Basis.ANSWER;
        othersBehind = false;
        ahead = new ArrayList<>(smaller);
        ahead.removeAll(departedMeanwhile);
    }

    /**
     * The queue has been read, with my ticket in it. Whoever was shown and has departed meanwhile is left out, unless a
     * milder ticket may be in his place.
     */
    void seen(List<Ticket> tickets, Ticket mine) {
        basis = Basis.ANSWER;
        ahead = new ArrayList<>();
        othersBehind = false;
        for (Ticket ticket : tickets) {
            if (ticket.compareTo(mine) > 0) {
                othersBehind |= !ticket.session().equals(mine.session());
            } else if (!ticket.equals(mine)
                    && (replacedMeanwhile.contains(ticket) || !departedMeanwhile.contains(ticket))) {
                ahead.add(ticket);
            }
        }
    }

    /**
     * Nobody is ahead of this ticket.
     *
     * @return whether that is news
     */
    boolean foremost(Ticket ticket) {
        int place = placeOf(ticket);
        if (place > 0) {
            ahead.subList(0, place).clear();
        }
        return place > 0;
    }

    /**
     * @param hasHeir whether a milder one may be in its place
     * @return whether it was ahead of me, as far as was known
     */
    boolean departed(Ticket ticket, boolean hasHeir) {
        if (asking) {
            departedMeanwhile.add(ticket);
            if (hasHeir) {
                replacedMeanwhile.add(ticket);
                outdated = true;
            } else {
                replacedMeanwhile.remove(ticket);
            }
        }
        int place = placeOf(ticket);
        boolean was = place >= 0;
        if (was) {
            ahead.remove(place);
        }
        if (was && !isInDoubt()) {
            basis = hasHeir ? Basis.DOUBT : Basis.PROOF;
        }
        return was;
    }

    /** Where a ticket is among those ahead, negative if it is not there; a milder one in its place has the same number. */
    private int placeOf(Ticket ticket) {
        int place = Collections.binarySearch(ahead, ticket);
        while (place > 0 && ahead.get(place - 1).number() == ticket.number()) {
            place--;
        }
        while (place >= 0 && !ahead.get(place).equals(ticket)) {
            place++;
            if (place == ahead.size() || ahead.get(place).number() != ticket.number()) {
                return -1;
            }
        }
        return place;
    }
}
