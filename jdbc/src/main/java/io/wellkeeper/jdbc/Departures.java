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
 * The tickets that this session watches. The database knows who watches which ticket, and whoever removes it sends one
 * message to each; its owner is told in any case.
 *
 * <p>Nobody says that a session has ended: its time runs out. So what is watched is looked at again when the first of
 * the sessions concerned would end if it were not renewed, every two seconds at least, and when the connection was lost;
 * all of it in one request. Where only tickets of one's own are watched, that is done with the heartbeats, and not for
 * all of them each time: they go without a message only by an operator's doing.
 */
final class Departures {

    private static final Duration ROUND = Duration.ofSeconds(2);
    private static final int OWN_PER_ROUND = 500;
    private static final int MANY = 1_000;

    private final SqlSession session;
    private final ReentrantLock lock = new ReentrantLock(); // guards all below; watchers are called without it
    private final Map<String, Watched> watched = new LinkedHashMap<>(); // by ticket
    private final Map<String, String> ahead = new HashMap<>(); // by own ticket, the one that is watched because of that
    private final Deque<Taking> underWay = new ArrayDeque<>(); // the oldest first
    private final ThreadLocal<@Nullable Told> told = new ThreadLocal<>();
    private int others; // of what is watched: tickets of other sessions
    private long nextRound; // by System.nanoTime
    private boolean planned; // a round is to come
    private boolean looking; // a round is under way
    private boolean closed;

    Departures(SqlSession session) {
        this.session = session;
    }

    /** A ticket that the server reports, and who waits for the report. */
    private static final class Watched {
        final String name;
        final Ticket ticket;
        final List<Waiting> waiting = new ArrayList<>();

        Watched(String name, Ticket ticket) {
            this.name = name;
            this.ticket = ticket;
        }
    }

    /** What a message said is left of a queue. */
    private record Told(String name, String queue) {}

    /** Requests whose answers may begin a watch, and what was told, or unwatched, since the first of them was made. */
    static final class Taking {
        private int requests; // guarded by the lock, as the set
        private final Set<String> early = new HashSet<>(); // tickets
    }

    /** One who waits; equal to no other. */
    private static final class Waiting {
        final DepartureWatcher watcher;

        Waiting(DepartureWatcher watcher) {
            this.watcher = watcher;
        }
    }

    /**
     * A ticket is to be taken: from now on the server may tell of departures before it answers.
     *
     * @return for {@link #taken}
     */
    Taking taking() {
        lock.lock();
        try {
            Taking last = underWay.peekLast();
            if (last == null
                    || last.early.size() >= MANY) { // what came early is forgotten by and by, if takes never cease
                last = new Taking();
                underWay.add(last);
            }
            last.requests++;
            return last;
        } finally {
            lock.unlock();
        }
    }

    /** The ticket was taken, or not. */
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

    /** Whether a departure was told of before the answer came that shows the ticket. */
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
     * The server watches this one for us as long as our ticket stands behind it. If it has departed since, or somebody here has
     * ceased to watch it, it is not watched any more; whoever wants to know asks, and is told so.
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
                    leftEarly(id); // with which this ends the watch of a ticket that is being taken, too
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /** This session removes it itself; it needs no report. */
    void forgetOwn(Ticket ticket) {
        lock.lock();
        try {
            drop(ticket.id());
            leave(ticket.id());
        } finally {
            lock.unlock();
        }
    }

    /** What was watched because of this one must be watched by itself, if it is wanted. The lock is held. */
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
     * It is gone for good.
     *
     * @param queue what is left, with a space between the tickets; empty if it was not told
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
            session.disown(id); // before anybody watches it again
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

    /** The answer to what is under way may say that it is watched, and it is not. The lock is held. */
    private void leftEarly(String id) {
        if (!underWay.isEmpty()) {
            underWay.getLast().early.add(id);
        }
    }

    /** The queue as it was at the departure of which this thread is just being told. */
    Optional<List<Ticket>> told(String name) {
        return Optional.ofNullable(told.get())
                .filter(now -> now.name.equals(name))
                .map(now -> TicketIds.parse(now.queue));
    }

    /** Sees to it that there is a round in time. The lock is held. */
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

    /** Watches what was not watched. The lock is held. */
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
                if (one.waiting.isEmpty()) { // nobody has wanted it so far
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
     * @param left the milliseconds left to those that live; null if nobody knows
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

    /** Watches nothing any more; of which names there were tickets watched. */
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
