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
 * One session at the store, with the local deadline up to which it certainly lives, and the tickets that are owed to the
 * store because giving them back has failed so far.
 */
final class LiveSession {

    private static final Duration FIRST_PAUSE = Duration.ofMillis(200); // after a heartbeat that has failed
    private static final int PAUSES_PER_BEAT = 4;
    private static final Duration FIRST_RETRY = Duration.ofMillis(50);
    private static final Duration LAST_RETRY = Duration.ofSeconds(1);
    private static final int FAILURES_TOLD = 5;
    private static final int READS_AT_ONCE = 8; // of one queue, by those who may share an answer

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
    private final Map<Own, Integer> watching = new ConcurrentHashMap<>(); // whom the waiters watch, and how many do so
    private final Monitor lock = new Monitor(); // guards the next two
    private final Set<Own> gone = new HashSet<>(); // what has ceased to live since this client began to break locks
    private int breaks; // of locks by this client, that are under way
    private final JointQuestions<Notice> notices;
    private final JointQuestions<List<Ticket>> tickets;
    private final JointQuestions<View> views;
    private final Map<Own, Debt> debts = new ConcurrentHashMap<>();
    private volatile long deadline; // only grows; written by the keeper, one reply at a time
    private final AtomicBoolean beating = new AtomicBoolean(); // a heartbeat is under way
    private final Pauses pauses; // after heartbeats that have failed; used by whoever has one under way
    private final AtomicBoolean ended = new AtomicBoolean();

    /**
     * @param sentAt when the first acknowledged heartbeat was sent
     * @param departures told of the tickets that are given back, with the name of their lock
     * @param troubles told why a ticket cannot be given back; null when it could
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

    /** What a notice says, for one of many who ask at the same time. */
    CompletionStage<Notice> notice(String name) {
        return notices.ask(name, askers -> queue(name).notice());
    }

    /** The living tickets, for one of many who ask at the same time. */
    CompletionStage<List<Ticket>> tickets(String name) {
        return tickets.ask(name, askers -> queue(name).tickets());
    }

    /**
     * What a notice says.
     *
     * @param notice empty if nobody has asked, or it cannot be read
     * @param failure why it cannot be read; null if it was, or nobody has asked
     */
    record Heard(Optional<Notice> notice, @Nullable Throwable failure) {}

    /** The living tickets of a queue, and what its notice says then or later. */
    record View(List<Ticket> tickets, Heard heard) {}

    /**
     * A view of a queue, for one of many who ask at the same time.
     *
     * @param question how all of them would ask
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

    /** Whether nobody else can have what this session holds, by the local clock. */
    boolean alive() {
        return !ended.get() && time.nanoTime() - deadline < 0;
    }

    /** Whether the store has ended it; its tickets are void for good. */
    boolean ended() {
        return ended.get();
    }

    /** Whether a heartbeat may be sent now: no other is under way. Ends with {@link #renewed} or {@link #notRenewed}. */
    boolean beginBeat() {
        return beating.compareAndSet(false, true);
    }

    /**
     * A heartbeat has failed.
     *
     * @return after what time to send another, if none is acknowledged meanwhile: soon, so that a connection that is back in
     *     time is used in time, and then less and less often, so that a store that refuses is not asked much more than usual
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
        return time.nanoTime() - old >= 0; // read after the write: whoever has seen the old one past is counted
    }

    /**
     * The store has ended the session, so nothing is owed any more.
     *
     * @return false if that was known
     */
    boolean end() {
        boolean news = ended.compareAndSet(false, true);
        debts.values().forEach(Debt::pay);
        return news;
    }

    /** A ticket, most often of this session's, under the name of its lock. */
    private record Own(String name, Ticket ticket) {

        // The compiler's have classes made at their first use, which short commands would feel.

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
     * A ticket was taken; it lives until it is given back.
     *
     * @return false if this client has broken it before it was known to have it
     */
    boolean taken(String name, Ticket ticket) {
        return own.merge(new Own(name, ticket), true, (broken, taken) -> null) != null;
    }

    /** This client begins to break a lock: until {@link #endBreak} it is remembered which tickets have ceased to live. */
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

    /** Called before a ticket is taken for dead, and after it has become a debt, if it does so: so no break misses it. */
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
     * This client breaks a lock that is its own: the ticket does not live any more, be it known here yet or not. Called
     * between {@link #beginBreak} and {@link #endBreak}, and for a ticket that was seen after the beginning.
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

    /** Nobody is ahead of this ticket any more. That holds until all here have been told that it was given back. */
    void becameForemost(String name, Ticket ticket) {
        foremost.add(new Own(name, ticket));
    }

    /** Whether it is known here that nobody is ahead of this ticket, whichever waiter of ours it was that has seen it. */
    boolean isForemost(String name, Ticket ticket) {
        return foremost.contains(new Own(name, ticket));
    }

    /**
     * Somebody here watches a ticket.
     *
     * @param armed the watch
     * @return to take it back
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

    /** A ticket that was watched has departed. */
    void watchIsOver(String name, Ticket ticket) {
        watching.remove(new Own(name, ticket));
    }

    /** Whether somebody here watches this ticket, and it was there when the watch began, as far as is known by now. */
    boolean isWatched(String name, Ticket ticket) {
        return watching.containsKey(new Own(name, ticket));
    }

    /** Whether it has been given back, and the store has not acknowledged it, so that it may still be shown. */
    boolean isGivenBack(String name, Ticket ticket) {
        return debts.containsKey(new Own(name, ticket));
    }

    /** Whether it {@linkplain #isGivenBack has been given back}, and those who wait here are told of it. */
    boolean isGivenBackAndTold(String name, Ticket ticket) {
        Debt debt = debts.get(new Own(name, ticket));
        return debt != null && debt.told;
    }

    /** Whether who had it has {@linkplain #leave left} with it, and the store has not acknowledged it. */
    boolean isLeftWith(String name, Ticket ticket) {
        Debt debt = debts.get(new Own(name, ticket));
        return debt != null && debt.left;
    }

    /** Those of a queue that this client has given back, and told of it, and of which the store may not know it yet. */
    List<Ticket> givenBack(String name) {
        return debts.values().stream()
                .filter(debt -> debt.told && debt.own.name.equals(name))
                .map(debt -> debt.own.ticket)
                .toList();
    }

    /** A milder ticket, which was {@linkplain #taken}, stands in the place of this one. */
    void replaced(String name, Ticket old) {
        Own departed = new Own(name, old);
        ceases(departed);
        own.remove(departed);
        tellDeparture(departed);
    }

    /** Gives a ticket back, now or as soon as the store lets us; the departure is known here at once. */
    CompletionStage<Void> giveBack(String name, TicketQueue queue, Ticket ticket) {
        return giveBack(new Own(name, ticket), queue, true, false);
    }

    /** As {@link #giveBack}, for whoever had the ticket, and knows that no other is in its place. */
    CompletionStage<Void> leave(String name, TicketQueue queue, Ticket ticket) {
        return giveBack(new Own(name, ticket), queue, true, true);
    }

    /** As {@link #giveBack}, for a ticket whose departure nobody here waits for, or counts. */
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

    /** Tries all debts again; for when the store can be reached again. */
    void payDebts() {
        debts.values().forEach(Debt::pay);
    }

    /** Completes when the store has acknowledged what has been given back so far. */
    CompletableFuture<Void> settled() {
        return CompletableFuture.allOf(
                debts.values().stream().map(debt -> debt.paid).toArray(CompletableFuture<?>[]::new));
    }

    private final class Debt {

        private final Own own;
        private final TicketQueue queue;
        private final boolean told; // those who wait here
        private volatile boolean left; // no other is in its place; becomes true
        private final CompletableFuture<Void> paid = new CompletableFuture<>();
        private final AtomicBoolean paying = new AtomicBoolean(); // a request is under way, or has succeeded
        private volatile Registration nextTry = Registration.NONE;
        private volatile int failures;
        private volatile String problem = ""; // that was told

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
                if (Calls.isRefusal(failure)
                        || failures == FAILURES_TOLD) { // what else fails for long the session tells
                    tell(failure);
                }
                Duration retry = FIRST_RETRY.multipliedBy(1L << Math.min(failures - 1, 10));
                paying.set(false); // first: the next try may come at once
                nextTry = time.schedule(retry.compareTo(LAST_RETRY) < 0 ? retry : LAST_RETRY, this::pay);
            });
        }

        /** Once, also if the store refuses others in other words, or does meanwhile what it is asked. */
        private void tell(@Nullable Throwable failure) {
            String words = Calls.message(failure);
            if (!words.equals(problem)) {
                problem = words;
                troubles.accept(failure);
            }
        }

        /**
         * Whoever took a number while the debt was open may have seen this ticket still: they are told again, before it is
         * forgotten that it was given back.
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
