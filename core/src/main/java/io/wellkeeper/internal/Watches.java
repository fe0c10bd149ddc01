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
 * All that is to wake one waiter: watches on tickets, a watch on the notice, and a timer. Each is entered here before
 * it is armed, so that it is armed only once. Guarded by the waiter's lock.
 */
final class Watches {

    private static final Registration PENDING = () -> {};

    private final Map<Ticket, Registration> tickets = new HashMap<>();
    private Registration notice = Registration.NONE;
    private Registration timer = Registration.NONE;
    private int timers; // numbers the timers: one may go off before its registration is entered here

    boolean hasTicket(Ticket ticket) {
        return tickets.containsKey(ticket);
    }

    /** @return false if the ticket is watched already */
    boolean placeTicket(Ticket ticket) {
        return tickets.putIfAbsent(ticket, PENDING) == null;
    }

    /** @return false if the watch is not wanted any more, and is to be closed */
    boolean armedTicket(Ticket ticket, Registration armed) {
        return tickets.replace(ticket, PENDING, armed);
    }

    /**
     * Removes the watch on a ticket, which has departed or is watched by the grant from now on.
     *
     * @return the watch; null if there is none or it is still being armed: {@link #armedTicket} will then return false
     */
    @Nullable
    Registration removeTicket(Ticket ticket) {
        Registration armed = tickets.remove(ticket);
        return armed == PENDING ? null : armed;
    }

    /**
     * Removes the watches on all but the wanted tickets.
     *
     * @return the removed watches, to be closed
     */
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

    /** @return false if the notice is watched already */
    boolean placeNotice() {
        boolean free = notice == Registration.NONE;
        notice = free ? PENDING : notice;
        return free;
    }

    /** @param armed the watch; {@link Registration#NONE} if it could not be armed */
    void armedNotice(Registration armed) {
        notice = armed;
    }

    /** @return the number of the timer that the caller is to arm; zero if one runs already */
    int placeTimer() {
        if (timer != Registration.NONE) {
            return 0;
        }
        timer = PENDING;
        return ++timers;
    }

    /** @return false if this timer is not wanted any more, or has gone off */
    boolean armedTimer(int number, Registration armed) {
        boolean wanted = timer == PENDING && number == timers;
        timer = wanted ? armed : timer;
        return wanted;
    }

    void timerWentOff(int number) {
        timer = number == timers ? Registration.NONE : timer;
    }

    /**
     * Removes all watches and the timer.
     *
     * @return what was removed, to be closed
     */
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
