package io.wellkeeper.internal;

import io.wellkeeper.Registration;
import io.wellkeeper.spi.DepartureWatcher;
import io.wellkeeper.spi.Mode;
import io.wellkeeper.spi.Place;
import io.wellkeeper.spi.SessionLostException;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketQueue;
import io.wellkeeper.spi.TicketRequest;
import io.wellkeeper.spi.Time;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The acquire loop, written once for every primitive and every store. As a program that could block it would read:
 *
 * <pre>{@code
 * place = queue.take(request);                          // one round trip: my number, and everything ahead
 * ahead = place.ahead();
 * while (!rule.blockers(mine, ahead).isEmpty()) {
 *     departed = await a departure among rule.worthWatching(mine, ahead);
 *     ahead.remove(departed);                           // nobody ever appears ahead of me, so what is left is enough
 *     if (rule.blockers(mine, ahead) is not empty) ahead = queue.tickets() below mine;
 * }
 * }</pre>
 *
 * <p>It never blocks. Every event takes the lock, moves the state on, and leaves the talking to the store for after the
 * lock has been released:
 *
 * <pre>
 *   NEW --start--> TAKING --place--> QUEUED --no blockers--> ENTERED
 *    ^               |                 |
 *    +--session lost-+-----------------+--> OVER (abandoned, refused or failed)
 * </pre>
 *
 * <p>Exactly one place gives a ticket back: {@link LiveSession#giveBack}, reached from here when the attempt is over
 * before it entered, and from {@link TicketGrant#leave} afterwards.
 *
 * <p>Living tickets of this client's own are not watched: it knows of their departure when it gives them back, and nobody
 * else can get in between two of its own. But a ticket that waits behind somebody is watched itself.
 */
final class AcquireLoop implements Attempt, DepartureWatcher {

    private enum State {
        NEW,
        TAKING,
        QUEUED,
        ENTERED,
        OVER
    }

    private static final AtomicLong REQUESTS = new AtomicLong();
    private static final Duration LOOK_AGAIN = Duration.ofMillis(100);
    private static final int BEATS_PER_LOOK = 8;
    private static final Runnable NOTHING = () -> {};

    private final String name;
    private final AdmissionRule rule;
    private final boolean mayWait;
    private final Supplier<String> metadata;
    private final SessionKeeper keeper;
    private final Time time;
    private final Attempt.Listener listener;

    private final ReentrantLock lock = new ReentrantLock(); // guards all below
    private State state = State.NEW;
    private @Nullable LiveSession session;
    private @Nullable TicketQueue queue;
    private @Nullable Place place;
    private List<Ticket> ahead =
            List.of(); // no living ticket ahead of mine is missing; some of these may have departed
    private final Map<Ticket, Registration> watched = new HashMap<>();
    private boolean looking;
    private int looks; // numbers the questions
    private int beats;
    private boolean lookAgain;
    private boolean othersBehind; // when it was last looked
    private final Set<Ticket> departedMeanwhile = new HashSet<>(); // since the last question was put to the store
    private boolean waiting;
    private @Nullable TicketGrant entered;
    private volatile boolean answered;

    AcquireLoop(
            String name,
            AdmissionRule rule,
            boolean mayWait,
            Supplier<String> metadata,
            SessionKeeper keeper,
            Time time,
            Attempt.Listener listener) {
        this.name = name;
        this.rule = rule;
        this.mayWait = mayWait;
        this.metadata = metadata;
        this.keeper = keeper;
        this.time = time;
        this.listener = listener;
    }

    @Override
    public boolean answered() {
        return answered;
    }

    /** Takes a number as soon as there is a session; without one, {@link #poke} starts it later. */
    @Override
    public void start() {
        LiveSession current = keeper.session();
        TicketQueue target;
        lock.lock();
        try {
            if (state != State.NEW || current == null || current.ended()) {
                return;
            }
            state = State.TAKING;
            session = current;
            target = current.queue(name);
            queue = target;
            othersBehind = false;
            departedMeanwhile.clear();
        } finally {
            lock.unlock();
        }
        String id = Long.toString(REQUESTS.incrementAndGet(), Character.MAX_RADIX);
        Calls.stage(() -> target.take(new TicketRequest(id, Mode.EXCLUSIVE, 1, metadata.get())))
                .whenComplete((taken, failure) -> onTaken(current, target, taken, failure));
    }

    private void onTaken(LiveSession from, TicketQueue target, @Nullable Place taken, @Nullable Throwable failure) {
        Runnable then;
        lock.lock();
        try {
            if (taken == null) {
                then = onTakeFailed(from, failure);
            } else {
                answered = true;
                from.taken(name, taken.ticket());
                if (state == State.OVER) {
                    then = () -> from.giveBack(name, target, taken.ticket());
                } else if (from.ended()) {
                    state = State.NEW;
                    then = this::start;
                } else {
                    state = State.QUEUED;
                    place = taken;
                    ahead = new ArrayList<>(taken.ahead());
                    ahead.removeAll(departedMeanwhile);
                    then = decide(true);
                }
            }
        } finally {
            lock.unlock();
        }
        then.run();
    }

    private Runnable onTakeFailed(LiveSession from, @Nullable Throwable failure) {
        if (state == State.OVER) {
            return NOTHING;
        }
        Throwable cause = Calls.unwrap(failure == null ? new IllegalStateException("no reply") : failure);
        if (from.ended() || cause instanceof SessionLostException) {
            state = State.NEW;
            return () -> {
                keeper.lostIfSo(from, cause);
                start();
            };
        }
        state = State.OVER;
        return () -> listener.failed(keeper.translate(cause));
    }

    /**
     * Enters, gives up, or sees to it that what blocks is watched.
     *
     * @param fresh whether {@code ahead} is what the store has just shown; if not, it is asked before anything that is
     *     not watched yet is relied on
     */
    private Runnable decide(boolean fresh) {
        Ticket mine = mine();
        LiveSession from = sessionNow();
        List<Ticket> wanted = rule.worthWatching(mine, ahead);
        if (wanted.isEmpty()) {
            return from.alive() ? enter() : NOTHING; // if it comes to life again, poke() looks once more
        }
        if (!mayWait) {
            state = State.OVER;
            return leaveAnd(listener::refused);
        }
        List<Ticket> missing = new ArrayList<>();
        for (Ticket ticket : wanted) {
            if (!watched.containsKey(ticket) && !from.isOwnAndLiving(name, ticket)) {
                missing.add(ticket);
            }
        }
        boolean firstWait = !waiting;
        waiting = true;
        Runnable announce = firstWait ? listener::waiting : NOTHING;
        if (missing.isEmpty()) {
            return announce;
        }
        if (!fresh) {
            return looking ? announce : look(); // the answer under way is as good: it is read without the departed
        }
        TicketQueue target = queueNow();
        List<Runnable> actions = new ArrayList<>();
        missing.add(mine); // it must not enter with a ticket that somebody else has removed
        for (Ticket ticket : missing) {
            if (watched.putIfAbsent(ticket, Registration.NONE) == null) {
                actions.add(() -> arm(target, ticket));
            }
        }
        List<Registration> stale = new ArrayList<>();
        watched.entrySet().removeIf(entry -> {
            boolean unwanted =
                    !wanted.contains(entry.getKey()) && !entry.getKey().equals(mine);
            if (unwanted) {
                stale.add(entry.getValue());
            }
            return unwanted;
        });
        return () -> {
            actions.forEach(Runnable::run);
            stale.forEach(Registration::close);
            announce.run();
        };
    }

    /** Watches one ticket; the map has its place already. */
    private void arm(TicketQueue target, Ticket ticket) {
        Registration armed = target.onDeparture(List.of(ticket), this);
        boolean keep;
        TicketGrant heir = null;
        lock.lock();
        try {
            keep = state == State.QUEUED && queue == target && watched.replace(ticket, Registration.NONE, armed);
            if (state == State.ENTERED && queue == target && ticket.equals(mine())) {
                heir = entered;
            }
        } finally {
            lock.unlock();
        }
        if (heir != null) {
            heir.watchedBy(armed);
        } else if (!keep) {
            armed.close();
        }
    }

    private Runnable enter() {
        state = State.ENTERED;
        Place won = placeNow();
        TicketQueue target = queueNow();
        LiveSession from = sessionNow();
        TicketGrant grant = new TicketGrant(name, from, target, won, othersBehind);
        entered = grant;
        Registration watch = watched.remove(won.ticket()); // to take it back would cost a request
        if (watch != null) {
            grant.watchedBy(watch);
        }
        Runnable unwatch = unwatch();
        return () -> {
            unwatch.run();
            listener.entered(grant);
        };
    }

    /** Gives the ticket back, and then says so. */
    private Runnable leaveAnd(Runnable then) {
        Ticket mine = mine();
        TicketQueue target = queueNow();
        LiveSession from = sessionNow();
        Runnable unwatch = unwatch();
        return () -> {
            from.giveBack(name, target, mine);
            unwatch.run();
            then.run();
        };
    }

    private Runnable unwatch() {
        if (watched.isEmpty()) {
            return NOTHING;
        }
        List<Registration> all = new ArrayList<>(watched.values());
        watched.clear();
        return () -> all.forEach(Registration::close);
    }

    /** Asks the store for the queue as it is now; one question at a time. */
    private Runnable look() {
        if (looking) {
            lookAgain = true;
            return NOTHING;
        }
        looking = true;
        lookAgain = false;
        departedMeanwhile.clear();
        int question = ++looks;
        TicketQueue target = queueNow();
        LiveSession from = sessionNow();
        return () -> Calls.stage(target::tickets)
                .whenComplete((tickets, failure) -> onSeen(question, from, tickets, failure));
    }

    private void onSeen(int question, LiveSession from, @Nullable List<Ticket> tickets, @Nullable Throwable failure) {
        Runnable then = NOTHING;
        lock.lock();
        try {
            if (!looking || question != looks) {
                return; // asked for a place that has been given up
            }
            looking = false;
            if (state == State.QUEUED) {
                if (tickets == null) {
                    then = () -> {
                        keeper.lostIfSo(from, Objects.requireNonNull(failure));
                        time.schedule(LOOK_AGAIN, this::poke);
                    };
                } else if (!tickets.contains(mine())) {
                    then = takeAgain();
                } else {
                    ahead = new ArrayList<>();
                    othersBehind = false;
                    for (Ticket ticket : tickets) {
                        if (ticket.compareTo(mine()) > 0) {
                            othersBehind |= !ticket.session().equals(from.id());
                        } else if (!ticket.equals(mine()) && !departedMeanwhile.contains(ticket)) {
                            ahead.add(ticket);
                        }
                    }
                    Runnable decided = decide(true);
                    Runnable again = lookAgain && state == State.QUEUED ? look() : NOTHING;
                    then = () -> {
                        decided.run();
                        again.run();
                    };
                }
            }
        } finally {
            lock.unlock();
        }
        then.run();
    }

    /** Somebody else has removed my ticket: to the end of the queue. */
    private Runnable takeAgain() {
        Runnable leave = leaveAnd(this::start);
        state = State.NEW;
        looking = false;
        return leave;
    }

    @Override
    public void departed(Ticket ticket) {
        Runnable then = NOTHING;
        lock.lock();
        try {
            if (state == State.TAKING || looking) {
                departedMeanwhile.add(ticket);
            }
            if (state == State.QUEUED) {
                watched.remove(ticket);
                if (ticket.equals(mine())) {
                    then = takeAgain();
                } else if (ahead.remove(ticket)) {
                    then = decide(false);
                }
            } else if (entered != null && ticket.equals(mine())) {
                TicketGrant grant = entered;
                then = () -> grant.departed(ticket);
            }
        } finally {
            lock.unlock();
        }
        then.run();
    }

    @Override
    public void changed() {
        Runnable then = NOTHING;
        lock.lock();
        try {
            if (state == State.QUEUED) {
                then = look();
            }
        } finally {
            lock.unlock();
        }
        then.run();
    }

    @Override
    public void poke() {
        Runnable then = NOTHING;
        lock.lock();
        try {
            if (state == State.NEW) {
                then = this::start;
            } else if (state == State.QUEUED) {
                if (sessionNow().ended()) {
                    state = State.NEW;
                    looking = false;
                    Runnable unwatch = unwatch();
                    then = () -> {
                        unwatch.run();
                        start();
                    };
                } else {
                    then = look();
                }
            }
        } finally {
            lock.unlock();
        }
        then.run();
    }

    /** Now and then it looks again, for whatever may have been missed. */
    @Override
    public void beat() {
        Runnable then = NOTHING;
        lock.lock();
        try {
            if (state == State.QUEUED && ++beats % BEATS_PER_LOOK == 0) {
                then = look();
            }
        } finally {
            lock.unlock();
        }
        then.run();
    }

    @Override
    public void abandon() {
        Runnable then = NOTHING;
        lock.lock();
        try {
            switch (state) {
                case NEW, TAKING -> state = State.OVER;
                case QUEUED -> {
                    state = State.OVER;
                    then = leaveAnd(NOTHING);
                }
                case ENTERED, OVER -> {}
            }
        } finally {
            lock.unlock();
        }
        then.run();
    }

    private Ticket mine() {
        return placeNow().ticket();
    }

    private Place placeNow() {
        return Objects.requireNonNull(place);
    }

    private TicketQueue queueNow() {
        return Objects.requireNonNull(queue);
    }

    private LiveSession sessionNow() {
        return Objects.requireNonNull(session);
    }
}
