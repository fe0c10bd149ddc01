package io.wellkeeper.redis;

import io.wellkeeper.Registration;
import io.wellkeeper.spi.DepartureWatcher;
import io.wellkeeper.spi.Ticket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The tickets that this session watches. The server knows which sessions watch a ticket, and sends each of them one
 * message when the ticket departs; it tells the owner of the ticket in any case.
 *
 * <p>No message says that a session has ended: its time runs out. So the watched tickets are checked again when the
 * first of their sessions would end without a renewal, every two seconds at least, and when the connection was lost;
 * all of them in one request. Where only tickets of this session are watched, they are checked as often as a heartbeat
 * goes out, and not all of them each time: such a ticket only departs unasked if an operator removes it, or a server
 * that is short of memory.
 */
final class Departures {

    private static final Duration ROUND = Duration.ofSeconds(2);
    private static final int OWN_PER_ROUND = 500;

    private final RedisSession session;
    private final ThreadLocal<@Nullable Told> told = new ThreadLocal<>();
    private final ReentrantLock lock = new ReentrantLock(); // guards all below; watchers are called without it
    private final Map<String, Watched> watched = new LinkedHashMap<>(); // by ticket
    private final Map<String, Integer> unwatching = new HashMap<>(); // by ticket, requests under way that end its watch
    private long nextRound; // by System.nanoTime
    private boolean planned; // a round is to come
    private boolean looking; // a round is under way
    private boolean closed;

    Departures(RedisSession session) {
        this.session = session;
    }

    /** The queue of a name as a message has shown it, and the number of the connection by which the message came. */
    private record Told(String name, String queue, int connection) {}

    /** A ticket whose departure the server reports, and the watchers that wait for the report. */
    private static final class Watched {
        final String name;
        final Ticket ticket;
        final List<Waiting> waiting = new ArrayList<>();

        Watched(String name, Ticket ticket) {
            this.name = name;
            this.ticket = ticket;
        }
    }

    /** One watch, which is equal to no other, not even to another by the same watcher. */
    private static final class Waiting {
        final DepartureWatcher watcher;

        Waiting(DepartureWatcher watcher) {
            this.watcher = watcher;
        }
    }

    /** The server watches these tickets for this session from now on, because a ticket was taken behind them. */
    void armed(String name, List<Ticket> tickets, List<Long> millisLeft) {
        lock.lock();
        try {
            for (int i = 0; i < tickets.size(); i++) {
                Ticket ticket = tickets.get(i);
                if (!unwatching.containsKey(ticket.id())) { // else a request under way ends that watch
                    watched.computeIfAbsent(ticket.id(), unused -> new Watched(name, ticket));
                    plan(Math.min(millisLeft.get(i), ROUND.toMillis()));
                }
            }
        } finally {
            lock.unlock();
        }
    }

    Registration watch(String name, Collection<Ticket> any, DepartureWatcher watcher) {
        Waiting waiting = new Waiting(watcher);
        lock.lock();
        try {
            List<String> missing = new ArrayList<>();
            for (Ticket ticket : any) {
                Watched there = watched.get(ticket.id());
                if (there == null) {
                    there = new Watched(name, ticket);
                    watched.put(ticket.id(), there);
                    if (!session.owns(ticket)) {
                        missing.add(ticket.id());
                    }
                }
                there.waiting.add(waiting);
            }
            if (!missing.isEmpty()) {
                arm(name, missing);
            }
            plan(round(!any.stream().allMatch(this::isOwn)));
        } finally {
            lock.unlock();
        }
        List<String> ids = any.stream().map(Ticket::id).toList();
        return () -> ids.forEach(id -> forget(id, waiting));
    }

    private void arm(String name, List<String> tickets) {
        session.watch(name, tickets).whenComplete((left, failure) -> {
            if (failure == null && session.isLiving(left)) {
                seen(tickets, left.stream().map(Long.class::cast).toList());
            }
        });
    }

    private void seen(List<String> tickets, List<Long> millisLeft) {
        for (int i = 0; i < tickets.size(); i++) {
            long left = millisLeft.get(i);
            if (left == 0) {
                departed(tickets.get(i));
            } else {
                lock.lock();
                try {
                    plan(Math.min(left, ROUND.toMillis()));
                } finally {
                    lock.unlock();
                }
            }
        }
    }

    private void forget(String id, Waiting waiting) {
        lock.lock();
        try {
            Watched there = watched.get(id);
            if (there != null && there.waiting.remove(waiting) && there.waiting.isEmpty()) {
                watched.remove(id);
                if (!isOwn(there)) {
                    unwatch(there.name, id);
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /** Ends the server's watch of a ticket of another session. The lock is held. */
    private void unwatch(String name, String id) {
        unwatching.merge(id, 1, Integer::sum);
        session.unwatch(name, id).whenComplete((done, failure) -> {
            lock.lock();
            try {
                unwatching.computeIfPresent(id, (same, n) -> n == 1 ? null : n - 1);
                // The server may have refused the end first, and done it behind a new watch.
                if (watched.containsKey(id)) {
                    arm(name, List.of(id));
                }
            } finally {
                lock.unlock();
            }
        });
    }

    /** This session itself removes the ticket, so nobody needs a report of its departure. */
    void forgetOwn(Ticket ticket) {
        lock.lock();
        try {
            watched.remove(ticket.id());
        } finally {
            lock.unlock();
        }
    }

    /**
     * A message from the server: the ticket is gone for good.
     *
     * @param queue the tickets that are left, with a space between them; empty if they are too many for a message
     * @param connection the number of the connection by which the message came
     */
    void departed(String id, String queue, int connection) {
        Watched there = take(id);
        if (there == null) {
            return;
        }
        told.set(queue.isEmpty() ? null : new Told(there.name, queue, connection));
        try {
            tell(there);
        } finally {
            told.remove();
        }
    }

    /**
     * The queue as it was at the departure of which this thread is just being told. Empty if the thread was held up for
     * so long that there is another connection by now, by which newer answers may have come.
     */
    Optional<List<Ticket>> told(String name) {
        return Optional.ofNullable(told.get())
                .filter(now -> now.name.equals(name) && now.connection == session.wires())
                .map(now -> session.tickets(now.queue));
    }

    private void departed(String id) {
        Watched there = take(id);
        if (there != null) {
            tell(there);
        }
    }

    private static void tell(Watched gone) {
        gone.waiting.forEach(one -> one.watcher.departed(gone.ticket));
    }

    private @Nullable Watched take(String id) {
        lock.lock();
        try {
            return watched.remove(id);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Plans a round after so many milliseconds, unless an earlier one is planned or one is under way. The lock is held.
     */
    private void plan(long millis) {
        Duration delay = Duration.ofMillis(millis + 1);
        long when = System.nanoTime() + delay.toNanos();
        if (closed || looking || planned && nextRound - when <= 0) {
            return;
        }
        planned = true;
        nextRound = when;
        RedisSession.later(delay, () -> look(when));
    }

    /** After how many milliseconds at the latest the watched tickets are checked again. */
    private long round(boolean others) {
        return (others ? ROUND : session.heartbeatInterval()).toMillis();
    }

    private boolean isOwn(Watched one) {
        return isOwn(one.ticket);
    }

    private boolean isOwn(Ticket ticket) {
        return ticket.session().equals(session.id());
    }

    private void look(long when) {
        boolean due;
        lock.lock();
        try {
            due = planned && nextRound == when;
        } finally {
            lock.unlock();
        }
        if (due) {
            look();
        }
    }

    /** Checks the watched tickets, and this session itself. */
    void look() {
        Map<String, String> asked = new LinkedHashMap<>();
        int own = 0;
        lock.lock();
        try {
            planned = false;
            if (closed || looking) {
                return;
            }
            // Armed by a take, but nobody has watched it so far.
            watched.values().removeIf(one -> one.waiting.isEmpty());
            for (Watched one : List.copyOf(watched.values())) {
                if (!isOwn(one)) {
                    asked.put(one.ticket.id(), one.name);
                } else if (own++ < OWN_PER_ROUND) {
                    asked.put(one.ticket.id(), one.name);
                    watched.remove(one.ticket.id()); // to the end of the line
                    watched.put(one.ticket.id(), one);
                }
            }
            looking = !asked.isEmpty();
        } finally {
            lock.unlock();
        }
        if (!asked.isEmpty()) {
            session.check(asked).whenComplete((left, failure) -> looked(asked, failure == null ? left : Map.of()));
        }
    }

    private void looked(Map<String, String> asked, Map<String, Long> left) {
        Set<String> gone = new HashSet<>();
        lock.lock();
        try {
            looking = false;
            long next = round(!watched.values().stream().allMatch(this::isOwn));
            for (Map.Entry<String, Long> one : left.entrySet()) {
                if (one.getValue() == 0) {
                    gone.add(one.getKey());
                } else {
                    next = Math.min(next, one.getValue());
                }
            }
            if (!watched.isEmpty()) {
                plan(next);
            }
        } finally {
            lock.unlock();
        }
        asked.forEach((id, name) -> {
            if (gone.contains(id)) {
                gone(name, id);
            }
        });
    }

    /** The ticket was found gone, without a message about its departure. */
    void gone(String name, String id) {
        departed(id);
        session.bury(name, TicketIds.parse(id));
    }

    void close() {
        lock.lock();
        try {
            closed = true;
            watched.clear();
        } finally {
            lock.unlock();
        }
    }
}
