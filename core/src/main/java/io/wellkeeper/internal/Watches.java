package io.wellkeeper.internal;

import io.wellkeeper.Registration;
import io.wellkeeper.spi.Ticket;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * All that is to wake one waiter: departures, another text of the notice, and a timer. Each has its place here before it
 * is armed, so that it is armed once. Guarded by the waiter's lock.
 */
final class Watches {

    private static final Registration PENDING = () -> {};

    private final Map<Ticket, Registration> tickets = new HashMap<>();
    private Registration notice = Registration.NONE;
    private Registration timer = Registration.NONE;
    private int timers; // numbers them: one may go off before it is known to be armed

    boolean hasTicket(Ticket ticket) {
        return tickets.containsKey(ticket);
    }

    /** @return false if it is watched already */
    boolean placeTicket(Ticket ticket) {
        return tickets.putIfAbsent(ticket, PENDING) == null;
    }

    /** @return false if nobody wants it any more */
    boolean armedTicket(Ticket ticket, Registration armed) {
        return tickets.replace(ticket, PENDING, armed);
    }

    /**
     * Lets go of the watch on a ticket: it has departed, or another looks after it.
     *
     * @return the watch; null if there was none, or it is still being armed, by somebody who will not find its place here
     */
    @Nullable
    Registration removeTicket(Ticket ticket) {
        Registration armed = tickets.remove(ticket);
        return armed == PENDING ? null : armed;
    }

    /** @return the watches on all other tickets, to be closed */
    List<Registration> keepTickets(Set<Ticket> wanted) {
        List<Registration> stale = new ArrayList<>();
        tickets.entrySet().removeIf(entry -> {
            boolean unwanted = !wanted.contains(entry.getKey());
            if (unwanted) {
                stale.add(entry.getValue());
            }
            return unwanted;
        });
        return stale;
    }

    /** @return false if it is watched already */
    boolean placeNotice() {
        boolean free = notice == Registration.NONE;
        notice = free ? PENDING : notice;
        return free;
    }

    /** @param armed {@link Registration#NONE} if it could not be armed */
    void armedNotice(Registration armed) {
        notice = armed;
    }

    /** @return the number of a timer that is to be armed; zero if one runs already */
    int placeTimer() {
        if (timer != Registration.NONE) {
            return 0;
        }
        timer = PENDING;
        return ++timers;
    }

    /** @return false if nobody wants this timer any more, or it has gone off */
    boolean armedTimer(int number, Registration armed) {
        boolean wanted = timer == PENDING && number == timers;
        timer = wanted ? armed : timer;
        return wanted;
    }

    void timerWentOff(int number) {
        timer = number == timers ? Registration.NONE : timer;
    }

    /** @return all of them, to be closed */
    List<Registration> removeAll() {
        List<Registration> all = new ArrayList<>(tickets.values());
        all.add(notice);
        all.add(timer);
        tickets.clear();
        notice = Registration.NONE;
        timer = Registration.NONE;
        return all;
    }
}
