package io.wellkeeper.jdbc;

import io.wellkeeper.Registration;
import io.wellkeeper.spi.DepartureWatcher;
import io.wellkeeper.spi.Ticket;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The tickets that this session watches. The database knows which sessions watch which ticket, and the client that
 * removes a ticket sends one message to each of them. The ticket's owner is told in any case.
 *
 * <p>No message says that a session has ended: its time runs out. So this session looks at the watched tickets again,
 * in one request for all: when the first of their sessions would end if it were not renewed, every two seconds at
 * least, and when the connection was lost. Where only own tickets are watched, it looks as often as it sends
 * heartbeats, and not at all of them each time: an own ticket departs without a message only if an operator removes it.
 */
final class Departures {

    private static final Duration ROUND = Duration.ofSeconds(2);
    private static final int OWN_PER_ROUND = 500;
    private static final int MANY = 1_000;

    private final SqlSession session;
    private final ReentrantLock lock = new ReentrantLock(); // guards all below; watchers are called without it
    private final Map<String, Watched> watched = new LinkedHashMap<>(); // by ticket
    private final Map<String, String> ahead = new HashMap<>(); // by own ticket, the one that the server watches for it
    private final Deque<Taking> underWay = new ArrayDeque<>(); // the oldest first
    private final ThreadLocal<@Nullable Told> told = new ThreadLocal<>();
    private int others; // how many watched tickets are of other sessions
    private long nextRound; // by System.nanoTime
    private boolean planned; // a round is to come
    private boolean looking; // a round is under way
    private boolean closed;

    Departures(SqlSession session) {
        this.session = session;
    }

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

    /** What is left of a queue, as a message said. */
    private record Told(String name, String queue) {}

    /**
     * Requests whose answers may begin a watch, and the tickets whose departure was told, or watch ended, since the
     * first.
     */
    static final class Taking {
        private int requests; // guarded by the lock, as is the set
        private final Set<String> early = new HashSet<>(); // tickets
    }

    /** One registration; equal to no other. */
    private static final class Waiting {
        final DepartureWatcher watcher;

        Waiting(DepartureWatcher watcher) {
            this.watcher = watcher;
        }
    }

    /**
     * A ticket is to be taken: from now on the server may tell of departures before the take is answered.
     *
     * @return for {@link #taken}
     */
    Taking taking() {
        lock.lock();
        try {
            Taking last = underWay.peekLast();
            if (last == null
                    || last.early.size() >= MANY) { // so old early ones are forgotten even if takes never cease
                last = new Taking();
                underWay.add(last);
            }
            last.requests++;
            return last;
        } finally {
            lock.unlock();
        }
    }

    /** A take was answered, or failed. */
    void taken(Taking with) {
        lock.lock();
        try {
            with.requests--;
            while (!underWay.isEmpty() && underWay.getFirst().requests == 0) {
                underWay.remove();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Whether the departure of a ticket was told before the answer that shows the ticket. */
    boolean isTold(String ticket) {
        lock.lock();
        try {
            return isEarly(ticket);
        } finally {
            lock.unlock();
        }
    }

    private boolean isEarly(String ticket) {
        return underWay.stream().anyMatch(since -> since.early.contains(ticket));
    }

    /**
     * The server watches a ticket for this session as long as the session's own ticket stands behind it. If the ticket
     * has departed in the meantime, or its watch was ended here, this is ignored: a caller that wants to watch the
     * ticket asks the server, which tells the ticket's state.
     *
     * @param mine the own ticket
     * @param ticket the one ahead of it
     */
    void armed(String name, Ticket mine, Ticket ticket, long millisLeft) {
        lock.lock();
        try {
            if (!isEarly(ticket.id())) {
                ahead.put(mine.id(), ticket.id());
                if (!watched.containsKey(ticket.id())) {
                    put(new Watched(name, ticket));
                }
                plan(millisLeft);
            }
        } finally {
            lock.unlock();
        }
    }

    Registration watch(String name, Collection<Ticket> any, DepartureWatcher watcher) {
        Waiting waiting = new Waiting(watcher);
        lock.lock();
        try {
            List<Ticket> missing = new ArrayList<>();
            for (Ticket ticket : any) {
                Watched there = watched.get(ticket.id());
                if (there == null) {
                    there = new Watched(name, ticket);
                    put(there);
                    if (!session.owns(ticket)) {
                        missing.add(ticket);
                    }
                }
                there.waiting.add(waiting);
            }
            missing.forEach(ticket -> arm(name, ticket));
            plan(round());
        } finally {
            lock.unlock();
        }
        List<String> ids = any.stream().map(Ticket::id).toList();
        return () -> ids.forEach(id -> forget(id, waiting));
    }

    private void arm(String name, Ticket ticket) {
        session.watch(name, ticket).whenComplete((left, failure) -> {
            if (failure == null && left == 0) {
                session.hear(name, ticket.id());
            } else if (failure == null) {
                planFor(left);
            }
        });
    }

    private void planFor(long millisLeft) {
        lock.lock();
        try {
            plan(millisLeft);
        } finally {
            lock.unlock();
        }
    }

    private void forget(String id, Waiting waiting) {
        lock.lock();
        try {
            Watched there = watched.get(id);
            if (there != null && there.waiting.remove(waiting) && there.waiting.isEmpty()) {
                drop(id);
                if (!isOwn(there)) {
                    session.unwatch(there.name, there.ticket);
                    leftEarly(id); // unwatching also ends the watch that a take under way may begin
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /** This session removes the ticket itself, and needs no report. */
    void forgetOwn(Ticket ticket) {
        lock.lock();
        try {
            drop(ticket.id());
            leave(ticket.id());
        } finally {
            lock.unlock();
        }
    }

    /**
     * The server watched another ticket for this own one; from now on that must be asked for, if it is wanted. The lock
     * is held.
     */
    private void leave(String mine) {
        String before = ahead.remove(mine);
        Watched unwatched = before == null ? null : watched.get(before);
        if (unwatched != null && unwatched.waiting.isEmpty()) {
            drop(unwatched.ticket.id());
        } else if (unwatched != null) {
            arm(unwatched.name, unwatched.ticket);
        }
    }

    /**
     * A ticket is gone for good.
     *
     * @param queue the tickets that are left, with spaces between them; empty if they were not told
     */
    void departed(String id, String queue) {
        Watched there;
        lock.lock();
        try {
            there = drop(id);
            leave(id);
            if (there == null) {
                leftEarly(id);
            }
            session.disown(id); // before a new watch of it begins
        } finally {
            lock.unlock();
        }
        if (there == null) {
            return;
        }
        if (!queue.isEmpty()) {
            told.set(new Told(there.name, queue));
        }
        try {
            there.waiting.forEach(one -> one.watcher.departed(there.ticket));
        } finally {
            told.remove();
        }
    }

    /**
     * The answer to a take under way may say that the server watches this ticket, although it no longer does. The lock
     * is held.
     */
    private void leftEarly(String id) {
        if (!underWay.isEmpty()) {
            underWay.getLast().early.add(id);
        }
    }

    /** The queue as it was at the departure that this thread is just being told. */
    Optional<List<Ticket>> told(String name) {
        return Optional.ofNullable(told.get())
                .filter(now -> now.name.equals(name))
                .map(now -> TicketIds.parse(now.queue));
    }

    /** Plans a round for the time when these milliseconds are over, if none comes earlier. The lock is held. */
    private void plan(long millisLeft) {
        Duration delay = Duration.ofMillis(Math.min(millisLeft + 1, round()));
        long when = System.nanoTime() + delay.toNanos();
        if (closed || looking || planned && nextRound - when <= 0) {
            return;
        }
        planned = true;
        nextRound = when;
        SqlSession.later(delay, () -> look(when));
    }

    private long round() {
        return (others > 0 ? ROUND : session.heartbeatInterval()).toMillis();
    }

    /** Watches a ticket that was not watched. The lock is held. */
    private void put(Watched one) {
        watched.put(one.ticket.id(), one);
        others += isOwn(one) ? 0 : 1;
    }

    /** Watches a ticket no longer, if it was watched. The lock is held. */
    private @Nullable Watched drop(String id) {
        Watched dropped = watched.remove(id);
        others -= dropped == null || isOwn(dropped) ? 0 : 1;
        return dropped;
    }

    private boolean isOwn(Watched one) {
        return one.ticket.session().equals(session.id());
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

    /** Looks at everything that is watched. */
    void look() {
        List<Watched> asked = new ArrayList<>();
        int own = 0;
        lock.lock();
        try {
            planned = false;
            if (closed || looking) {
                return;
            }
            for (Watched one : List.copyOf(watched.values())) {
                if (one.waiting.isEmpty()) { // the server watches it unasked, and nobody here waits for it
                    drop(one.ticket.id());
                } else if (!isOwn(one)) {
                    asked.add(one);
                } else if (own++ < OWN_PER_ROUND) {
                    asked.add(one);
                    drop(one.ticket.id()); // to the end of the line
                    put(one);
                }
            }
            looking = !asked.isEmpty();
        } finally {
            lock.unlock();
        }
        if (asked.isEmpty()) {
            return;
        }
        Map<String, List<Ticket>> byName = new LinkedHashMap<>();
        asked.forEach(one ->
                byName.computeIfAbsent(one.name, unused -> new ArrayList<>()).add(one.ticket));
        session.check(byName).whenComplete((left, failure) -> looked(asked, failure == null ? left : null));
    }

    /**
     * @param left by living ticket, the milliseconds left to its session; null if the question failed
     */
    private void looked(List<Watched> asked, @Nullable Map<String, Long> left) {
        List<Watched> gone = new ArrayList<>();
        lock.lock();
        try {
            looking = false;
            long next = round();
            if (left != null) {
                asked.stream().filter(one -> !left.containsKey(one.ticket.id())).forEach(gone::add);
                next = left.values().stream().reduce(next, Math::min);
            }
            if (!watched.isEmpty()) {
                plan(next);
            }
        } finally {
            lock.unlock();
        }
        gone.forEach(one -> session.bury(one.name, one.ticket));
    }

    /** Watches nothing any more; returns the names whose tickets were watched. */
    Set<String> close() {
        lock.lock();
        try {
            closed = true;
            Set<String> names = watched.values().stream().map(one -> one.name).collect(Collectors.toSet());
            watched.clear();
            ahead.clear();
            others = 0;
            return names;
        } finally {
            lock.unlock();
        }
    }
}
