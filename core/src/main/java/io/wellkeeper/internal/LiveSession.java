package io.wellkeeper.internal;

import io.wellkeeper.Registration;
import io.wellkeeper.spi.Notice;
import io.wellkeeper.spi.Session;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketQueue;
import io.wellkeeper.spi.Time;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One session at the store, with the local deadline until which it certainly lives, and with its debts: the tickets
 * that this client has given back and whose removal the store has not acknowledged yet.
 */
final class LiveSession {

    private static final Duration FIRST_PAUSE = Duration.ofMillis(200); // after a heartbeat that has failed
    private static final int PAUSES_PER_BEAT = 4;
    private static final Duration FIRST_RETRY = Duration.ofMillis(50);
    private static final Duration LAST_RETRY = Duration.ofSeconds(1);
    private static final int FAILURES_TOLD = 5; // of a debt; if the store is out of reach, the session tells it before
    private static final int READS_AT_ONCE = 8; // reads of one queue that are under way at once

    private final Session session;
    private final Time time;
    private final String id;
    private final long validityNanos;
    private final Duration heartbeatInterval;
    private final BiConsumer<String, Ticket> departures;
    private final Consumer<@Nullable Throwable> troubles;
    private final Map<Own, Boolean> own =
            new ConcurrentHashMap<>(); // true: it lives; false: broken before it was known
    private final Set<Own> foremost = ConcurrentHashMap.newKeySet();
    private final Map<Own, Integer> watching = new ConcurrentHashMap<>(); // each with the number of its watchers
    private final Monitor lock = new Monitor(); // guards the next two
    private final Set<Own> gone = new HashSet<>(); // tickets that have died since this client began to break locks
    private int breaks; // how many breaks of locks by this client are under way
    private final JointQuestions<Notice> notices;
    private final JointQuestions<List<Ticket>> tickets;
    private final JointQuestions<View> views;
    private final Map<Own, Debt> debts = new ConcurrentHashMap<>();
    private volatile long deadline; // only grows; written by the keeper, one reply at a time
    private final AtomicBoolean beating = new AtomicBoolean(); // a heartbeat is under way
    private final Pauses pauses; // after failed heartbeats; used only while a heartbeat is under way
    private final AtomicBoolean ended = new AtomicBoolean();

    /**
     * @param sentAt when the first acknowledged heartbeat was sent
     * @param departures is told of each ticket that has been given back or replaced, with the name of its lock
     * @param troubles is told why the store does not remove a ticket; is told null when this trouble is over
     */
    LiveSession(
            Session session,
            Time time,
            long sentAt,
            BiConsumer<String, Ticket> departures,
            Consumer<@Nullable Throwable> troubles) {
        this.session = session;
        this.time = time;
        this.notices = new JointQuestions<>(READS_AT_ONCE, time);
        this.tickets = new JointQuestions<>(READS_AT_ONCE, time);
        this.views = new JointQuestions<>(READS_AT_ONCE, time);
        this.id = session.id();
        this.validityNanos = session.validity().toNanos();
        this.heartbeatInterval = session.heartbeatInterval();
        this.pauses = new Pauses(FIRST_PAUSE, heartbeatInterval.dividedBy(PAUSES_PER_BEAT));
        this.departures = departures;
        this.troubles = troubles;
        this.deadline = sentAt + validityNanos;
    }

    Session session() {
        return session;
    }

    String id() {
        return id;
    }

    Duration heartbeatInterval() {
        return heartbeatInterval;
    }

    TicketQueue queue(String name) {
        return session.queue(name);
    }

    /** Reads the notice of a queue. Callers that ask at the same time may share one answer. */
    CompletionStage<Notice> notice(String name) {
        return notices.ask(name, askers -> queue(name).notice());
    }

    /** Reads the living tickets of a queue. Callers that ask at the same time may share one answer. */
    CompletionStage<List<Ticket>> tickets(String name) {
        return tickets.ask(name, askers -> queue(name).tickets());
    }

    /**
     * The answer to a request for a queue's notice.
     *
     * @param notice the notice; empty if no caller has asked for it, or if it cannot be read
     * @param failure why the notice cannot be read; null if it was read, or if no caller has asked for it
     */
    record Heard(Optional<Notice> notice, @Nullable Throwable failure) {}

    /** The living tickets of a queue, and its notice as read at the same time or later. */
    record View(List<Ticket> tickets, Heard heard) {}

    /**
     * Reads a view of a queue. Callers that ask at the same time may share one answer.
     *
     * @param question the request to the store, which is the same for all callers
     */
    CompletionStage<View> view(String name, Supplier<CompletionStage<View>> question) {
        return views.ask(name, askers -> question.get());
    }

    Time time() {
        return time;
    }

    long deadlineNanos() {
        return deadline;
    }

    /**
     * Whether the session certainly lives by the local clock, so that no other session can have what this one holds.
     */
    boolean alive() {
        return !ended.get() && time.nanoTime() - deadline < 0;
    }

    /**
     * Whether the session is over, because the store has ended it or the client was closed. Its tickets are then void
     * for good.
     */
    boolean ended() {
        return ended.get();
    }

    /**
     * Begins a heartbeat, unless another one is under way. It ends with {@link #renewed} or {@link #notRenewed}.
     *
     * @return whether the heartbeat may be sent
     */
    boolean beginBeat() {
        return beating.compareAndSet(false, true);
    }

    /**
     * A heartbeat has failed.
     *
     * @return the pause before the next try. It is short at first, so that a connection that is back in time is used in
     *     time. It grows with each failure, so that a store that refuses is not asked much more often than usual.
     */
    Duration notRenewed() {
        Duration pause = pauses.next(time.nanoTime());
        beating.set(false);
        return pause;
    }

    /**
     * A heartbeat has been acknowledged.
     *
     * @return whether the old deadline had passed, so that somebody may have seen this session as not alive
     */
    boolean renewed(long sentAt) {
        pauses.reset();
        boolean revived = prolonged(sentAt);
        beating.set(false);
        return revived;
    }

    private boolean prolonged(long sentAt) {
        long old = deadline;
        long next = sentAt + validityNanos;
        if (next - old <= 0) {
            return false;
        }
        deadline = next;
        return time.nanoTime() - old >= 0; // after the write: so it counts if any thread has seen the old deadline pass
    }

    /**
     * The session is over, because the store has ended it or the client is closed. So nothing is owed any more.
     *
     * @return false if this was known already
     */
    boolean end() {
        boolean news = ended.compareAndSet(false, true);
        debts.values().forEach(Debt::pay);
        return news;
    }

    /** A ticket and the name of its lock. Most often it is a ticket of this session. */
    private record Own(String name, Ticket ticket) {

        // Written by hand: the compiler's versions create classes at their first use, which would slow short commands
        // down.

        @Override
        public boolean equals(Object other) {
            return other instanceof Own o && ticket.equals(o.ticket) && name.equals(o.name);
        }

        @Override
        public int hashCode() {
            return 31 * name.hashCode() + ticket.hashCode();
        }
    }

    /**
     * Notes that this session has taken a ticket. The ticket lives until it is given back.
     *
     * @return false if this client has broken the ticket before it was known here as its own
     */
    boolean taken(String name, Ticket ticket) {
        return own.merge(new Own(name, ticket), true, (broken, taken) -> null) != null;
    }

    /**
     * This client begins to break a lock. From now until {@link #endBreak} the session remembers which tickets cease to
     * live.
     */
    void beginBreak() {
        lock.lock();
        try {
            breaks++;
            gone.addAll(debts.keySet());
        } finally {
            lock.unlock();
        }
    }

    void endBreak() {
        lock.lock();
        try {
            assert breaks > 0 : "the end of a break that has not begun";
            breaks--;
            if (breaks == 0) {
                gone.clear();
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Notes that a ticket ceases to live. It is called before the ticket is removed from {@code own}, and after it has
     * become a debt, if it becomes one. So no break misses it.
     */
    private void ceases(Own ticket) {
        lock.lock();
        try {
            if (breaks > 0) {
                gone.add(ticket);
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * This client breaks a lock by removing one of its own tickets. The ticket is dead, whether or not it is known here
     * as taken yet. This is called between {@link #beginBreak} and {@link #endBreak}, and for a ticket that was seen
     * after the beginning.
     */
    void broken(String name, Ticket ticket) {
        Own broken = new Own(name, ticket);
        lock.lock();
        try {
            assert breaks > 0 : "a ticket is broken, and nobody remembers which have ceased to live";
            boolean hasCeased = !gone.add(broken);
            own.compute(broken, (same, lives) -> {
                boolean unknown = lives == null ? !hasCeased : !lives;
                return unknown ? false : null;
            });
        } finally {
            lock.unlock();
        }
    }

    /** Whether this ticket is our own and has not been given back, so that its departure will be known here at once. */
    boolean isOwnAndLiving(String name, Ticket ticket) {
        return own.getOrDefault(new Own(name, ticket), false);
    }

    /**
     * Notes that no ticket is ahead of this one any more. The note stays until all waiters here have been told that
     * this ticket was given back.
     */
    void becameForemost(String name, Ticket ticket) {
        foremost.add(new Own(name, ticket));
    }

    /** Whether any waiter of this session has seen that no ticket is ahead of this one any more. */
    boolean isForemost(String name, Ticket ticket) {
        return foremost.contains(new Own(name, ticket));
    }

    /**
     * Notes that a waiter here watches a ticket.
     *
     * @param armed the watch
     * @return takes back the watch and the note
     */
    Registration watched(String name, Ticket ticket, Registration armed) {
        if (armed == Registration.NONE) {
            return armed;
        }
        Own watched = new Own(name, ticket);
        watching.merge(watched, 1, Integer::sum);
        return () -> {
            watching.computeIfPresent(watched, (same, count) -> count == 1 ? null : count - 1);
            armed.close();
        };
    }

    /** A watched ticket has departed, so that its watches are over. */
    void watchIsOver(String name, Ticket ticket) {
        watching.remove(new Own(name, ticket));
    }

    /**
     * Whether a waiter here watches this ticket. As far as is known by now, the ticket was there when the watch began.
     */
    boolean isWatched(String name, Ticket ticket) {
        return watching.containsKey(new Own(name, ticket));
    }

    /**
     * Whether this client has given the ticket back and the store has not acknowledged this yet, so that its answers
     * may still show the ticket.
     */
    boolean isGivenBack(String name, Ticket ticket) {
        return debts.containsKey(new Own(name, ticket));
    }

    /**
     * Whether the ticket {@linkplain #isGivenBack has been given back}, and the waiters here are told of its departure.
     */
    boolean isGivenBackAndTold(String name, Ticket ticket) {
        Debt debt = debts.get(new Own(name, ticket));
        return debt != null && debt.told;
    }

    /**
     * Whether the owner of the ticket has {@linkplain #leave left} with it, and the store has not acknowledged this
     * yet.
     */
    boolean isLeftWith(String name, Ticket ticket) {
        Debt debt = debts.get(new Own(name, ticket));
        return debt != null && debt.left;
    }

    /**
     * The tickets of a queue that this client has given back, telling its waiters, and whose removal the store has not
     * acknowledged yet.
     */
    List<Ticket> givenBack(String name) {
        return debts.values().stream()
                .filter(debt -> debt.told && debt.own.name.equals(name))
                .map(debt -> debt.own.ticket)
                .toList();
    }

    /** Notes that a milder ticket, which {@link #taken} was told of, stands in the place of this one. */
    void replaced(String name, Ticket old) {
        Own departed = new Own(name, old);
        ceases(departed);
        own.remove(departed);
        tellDeparture(departed);
    }

    /**
     * Gives a ticket back, now or as soon as the store accepts it. The waiters here are told of the departure at once.
     */
    CompletionStage<Void> giveBack(String name, TicketQueue queue, Ticket ticket) {
        return giveBack(new Own(name, ticket), queue, true, false);
    }

    /** As {@link #giveBack}, called by the owner of the ticket, who knows that no other ticket is in its place. */
    CompletionStage<Void> leave(String name, TicketQueue queue, Ticket ticket) {
        return giveBack(new Own(name, ticket), queue, true, true);
    }

    /**
     * As {@link #giveBack}, for a ticket whose departure no waiter here waits for or counts. The waiters are not told.
     */
    void giveBackUntold(String name, TicketQueue queue, Ticket ticket) {
        giveBack(new Own(name, ticket), queue, false, false);
    }

    private CompletionStage<Void> giveBack(Own given, TicketQueue queue, boolean told, boolean left) {
        Debt debt = debts.computeIfAbsent(given, unused -> new Debt(given, queue, told));
        debt.left |= left;
        ceases(given);
        own.remove(given, true);
        debt.pay();
        if (told) {
            tellDeparture(given);
        }
        return debt.paid;
    }

    private void tellDeparture(Own departed) {
        departures.accept(departed.name, departed.ticket);
        foremost.remove(departed);
    }

    /** Tries to pay all debts again. It is called when the store can be reached again. */
    void payDebts() {
        debts.values().forEach(Debt::pay);
    }

    /** Completes when the store has acknowledged all tickets that have been given back so far. */
    CompletableFuture<Void> settled() {
        return CompletableFuture.allOf(
                debts.values().stream().map(debt -> debt.paid).toArray(CompletableFuture<?>[]::new));
    }

    private final class Debt {

        private final Own own;
        private final TicketQueue queue;
        private final boolean told; // whether the waiters here are told of the departure
        private volatile boolean left; // by its owner, so that no other ticket is in its place; becomes true
        private final CompletableFuture<Void> paid = new CompletableFuture<>();
        private final AtomicBoolean paying = new AtomicBoolean(); // a request is under way, or has succeeded
        private volatile Registration nextTry = Registration.NONE;
        private volatile int failures;
        private volatile String problem = ""; // the last one that was told

        Debt(Own own, TicketQueue queue, boolean told) {
            this.own = own;
            this.queue = queue;
            this.told = told;
        }

        void pay() {
            if (ended()) {
                settle();
            } else if (paying.compareAndSet(false, true)) {
                send();
            }
        }

        private void send() {
            nextTry.close();
            Calls.stage(() -> queue.remove(own.ticket)).whenComplete((removed, failure) -> {
                if (failure == null || ended()) {
                    settle();
                    return;
                }
                failures++;
                if (Calls.isRefusal(failure) || failures == FAILURES_TOLD) {
                    tell(failure);
                }
                Duration retry = FIRST_RETRY.multipliedBy(1L << Math.min(failures - 1, 10));
                paying.set(false); // before the next try is scheduled, as that may come at once
                nextTry = time.schedule(retry.compareTo(LAST_RETRY) < 0 ? retry : LAST_RETRY, this::pay);
            });
        }

        /**
         * Tells the trouble of this debt once, also if the store meanwhile refuses other debts with other messages, or
         * does what other requests ask.
         */
        private void tell(@Nullable Throwable failure) {
            String words = Calls.message(failure);
            if (!words.equals(problem)) {
                problem = words;
                troubles.accept(failure);
            }
        }

        /**
         * A waiter that took its number while the debt was open may still have seen this ticket. So all waiters are
         * told again, before this session forgets that the ticket was given back.
         */
        private void settle() {
            if (told && !ended() && !paid.isDone()) {
                departures.accept(own.name, own.ticket);
            }
            debts.remove(own, this);
            if (failures > 0) {
                troubles.accept(null);
            }
            paid.complete(null);
        }
    }
}
