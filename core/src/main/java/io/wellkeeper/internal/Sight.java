package io.wellkeeper.internal;

import io.wellkeeper.spi.Ticket;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * What one waiter knows of its queue. The waiter learns more by questions to the store, one at a time. The answer may
 * still show tickets that departed while the question was under way, so these are remembered. Guarded by the waiter's
 * lock.
 */
final class Sight {

    /** On what the list of the tickets ahead rests, from the weakest to the strongest. */
    private enum Basis {
        /** A ticket that has departed may have been replaced by a milder one, which no answer has shown yet. */
        DOUBT,
        /** The last answer, without the tickets that have departed since. */
        PROOF,
        /** The last answer, of which no ticket has departed since. */
        ANSWER
    }

    private List<Ticket> ahead = new ArrayList<>(); // no living ticket is missing; some of these may have departed
    private Basis basis = Basis.ANSWER;
    private boolean othersBehind;

    private int questions; // numbers the questions
    private boolean asking;
    private boolean again; // another question follows as soon as this one is answered
    private boolean outdated; // the answer to this question may be too old
    private final Set<Ticket> departedMeanwhile = new HashSet<>(); // since this question was put
    private final Set<Ticket> replacedMeanwhile = new HashSet<>(); // those of them that may be replaced

    /** The tickets ahead of this waiter's, smallest number first. */
    List<Ticket> ahead() {
        return ahead;
    }

    /** Whether a ticket may be ahead that has not been seen. Only another answer can tell. */
    boolean isInDoubt() {
        return basis == Basis.DOUBT;
    }

    /** Whether the tickets ahead are those of an earlier answer, without the ones that have departed since. */
    boolean isProof() {
        return basis == Basis.PROOF;
    }

    /** Whether tickets of other sessions were behind this waiter's in the last answer. */
    boolean hasOthersBehind() {
        return othersBehind;
    }

    boolean isAsking() {
        return asking;
    }

    /** Another question is to follow as soon as the one under way is answered. */
    void askAgain() {
        again = true;
    }

    /** The answer to the question under way, if there is one, may be too old to be of use. */
    void outdate() {
        outdated = asking;
    }

    /** Begins a question for a number or for the queue. Answers to earlier questions are ignored from now on. */
    int ask() {
        asking = true;
        again = false;
        outdated = false;
        departedMeanwhile.clear();
        replacedMeanwhile.clear();
        return ++questions;
    }

    /** @return whether this waiter still waits for the answer to this question */
    boolean answer(int question) {
        boolean awaited = asking && question == questions;
        asking &= !awaited;
        return awaited;
    }

    /** The wait is over: the tickets ahead, which may be many, are not kept. */
    void close() {
        ahead = new ArrayList<>();
    }

    /** The answer to the question under way is to be ignored. */
    void stopAsking() {
        asking = false;
    }

    /** Whether the answer just given was too old. */
    boolean isOutdated() {
        return outdated;
    }

    /** Whether {@link #askAgain} was called since this question was put. */
    boolean isAskedAgain() {
        return again;
    }

    /**
     * This waiter's number has been drawn.
     *
     * @param smaller the tickets ahead of it
     */
    void drawn(List<Ticket> smaller) {
        basis = outdated ? Basis.DOUBT : Basis.ANSWER;
        othersBehind = false;
        ahead = new ArrayList<>(smaller);
        ahead.removeAll(departedMeanwhile);
    }

    /**
     * The queue has been read, with this waiter's ticket in it. Tickets that have departed meanwhile are left out. A
     * ticket that may have been replaced by a milder one stays.
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
     * This ticket is the first of the queue, so all that stood ahead of it have departed.
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
     * This ticket has departed.
     *
     * @param hasHeir whether a milder ticket with the same number may be in its place
     * @return whether it was ahead of this waiter's ticket, as far as was known
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

    /** The index of a ticket among those ahead, or negative. A milder ticket in its place has the same number. */
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
