package io.wellkeeper.internal;

import io.wellkeeper.LockClientClosedException;
import io.wellkeeper.LockLostException;
import io.wellkeeper.LockOptions;
import io.wellkeeper.LockStoreException;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.Time;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One lock name within one client: who of this process holds it, who waits, and the one ticket that they share.
 *
 * <pre>
 *   callers --request--> [ waiters, first come first served ] --hand-over--> current hold --release--+
 *                                     |                            ^                                 |
 *                                     | nobody has a ticket        | entered                         | bound reached,
 *                                     v                            |                                 | or nobody waits
 *                                  attempt --(store: acquire loop)-+                                 v
 *                                     ^                                                       ticket given back
 *                                     +--------------- somebody waits: take the next number ---------+
 * </pre>
 *
 * <p>With a hand-over bound of 0, and for a try that does not wait, a request has an attempt and so a number of its own.
 *
 * <p>The monitor guards everything. It is held for bookkeeping only: talking to the store, waking threads and telling
 * listeners happen after it has been released, the giving back of a ticket before the taking of the next.
 */
final class Gate {

    private final String name;
    private final LockOptions shape;
    private final Home home;

    private final ReentrantLock monitor = new ReentrantLock();
    private final Waiters waiters = new Waiters();
    private @Nullable Turn idle; // retained while nobody of this client wants it
    private final Map<Thread, Hold> lost = new ConcurrentHashMap<>(); // until their threads have unlocked
    private volatile @Nullable Hold current;
    private boolean retired; // nothing is left here, and nothing comes any more

    /** What a gate needs of its client. */
    interface Home {

        Contender contender();

        Time time();

        Events events();

        String describeStore();

        Duration storeTimeout();

        /** Whether the store has been heard of lately. */
        boolean isStoreInTouch();

        String metadata(Request request);

        boolean isClosed();

        LockClientClosedException closedException();

        /** The gate is empty: another may take its place. */
        void retire(String name, Gate gate);
    }

    Gate(String name, LockOptions shape, Home home) {
        this.name = name;
        this.shape = shape;
        this.home = home;
    }

    String name() {
        return name;
    }

    String describeStore() {
        return home.describeStore();
    }

    long nanosUntil(long deadline) {
        return deadline - home.time().nanoTime();
    }

    void callBack(Runnable action) {
        home.events().run(action);
    }

    <T extends @Nullable Object> T guarded(Supplier<T> bookkeeping) {
        monitor.lock();
        try {
            return bookkeeping.get();
        } finally {
            monitor.unlock();
        }
    }

    /**
     * Lets a request in, puts it in the queue, or refuses it.
     *
     * @return false if this gate is retired; there is another
     */
    boolean submit(Request request) {
        Turn unusable = null;
        Attempt begin = null;
        boolean contended = false;
        boolean decided;
        monitor.lock();
        try {
            if (retired) {
                return false;
            }
            checkShape(request.options());
            request.submittedTo(this);
            if (home.isClosed()) {
                throw home.closedException();
            }
            Turn kept = idle;
            idle = null;
            if (kept != null && kept.mayRetain(shape, home.time().nanoTime())) {
                kept.handedOver();
                admit(request, kept);
            } else {
                unusable = kept;
                contended = !isFree();
                begin = queueUp(request);
            }
            decided = request.isDecided(); // by now; what comes later is told by whoever decides it
        } finally {
            retireIfEmpty();
            monitor.unlock();
        }
        leave(unusable);
        start(begin);
        if (decided) {
            tell(request);
        } else if (contended) {
            contended(request);
        }
        return true;
    }

    private @Nullable Attempt queueUp(Request request) {
        if (!request.mayWait() && !isFree()) {
            request.decide(Request.No.REFUSED);
            return null;
        }
        waiters.add(request);
        if (!request.mayWait() || shape.handOvers() == 0) {
            Attempt own = attempt(request);
            request.attempt(own);
            return own;
        }
        return current == null ? attemptIfNeeded() : null;
    }

    private boolean isFree() {
        return current == null && waiters.isEmpty();
    }

    void checkShape(LockOptions options) {
        if (options.handOvers() != shape.handOvers()
                || !options.handOverTime().equals(shape.handOverTime())
                || options.reentrant() != shape.reentrant()
                || options.retain() != shape.retain()) {
            throw new IllegalStateException(
                    "lock '" + name + "' is in use by this client with other options: handOvers,"
                            + " handOverTime, reentrant and retain must be the same wherever a client uses one name");
        }
    }

    /** An attempt for those who share one, to be started when the monitor has been released. */
    private @Nullable Attempt attemptIfNeeded() {
        if (home.isClosed() || !waiters.needAttempt()) {
            return null;
        }
        Attempt made = attempt(null);
        waiters.share(made);
        return made;
    }

    private Attempt attempt(@Nullable Request bound) {
        boolean mayWait = bound == null || bound.mayWait();
        Outcome outcome = new Outcome(bound);
        Attempt made = home.contender().attempt(name, mayWait, () -> metadata(bound), outcome);
        outcome.attempt = made;
        return made;
    }

    private String metadata(@Nullable Request bound) {
        Request request = bound != null ? bound : guarded(waiters::firstSharing);
        return request == null ? "" : home.metadata(request);
    }

    private void admit(Request request, Turn turn) {
        long now = home.time().nanoTime();
        Hold hold = new Hold(this, turn, request.owner(), now);
        current = hold;
        request.decide(hold);
    }

    /** Tells a caller, and then the listener, what has become of a request. Not to be called with the monitor. */
    private void tell(Request request) {
        if (request.outcome() instanceof Hold hold) {
            home.events().acquired(name, hold.since() - request.since());
        }
        request.signal();
    }

    private void contended(Request request) {
        if (guarded(request::beginContended)) {
            home.events().contended(name);
        }
    }

    /** How an attempt ends, for the request it was made for or for whoever waits first. */
    private final class Outcome implements Attempt.Listener {

        private final @Nullable Request bound;
        private @Nullable Attempt attempt; // written once, before it is started

        Outcome(@Nullable Request bound) {
            this.bound = bound;
        }

        @Override
        public void entered(Grant grant) {
            Turn turn = new Turn(grant, home.time().nanoTime());
            grant.begin(() -> gone(turn));
            Loss loss = null;
            Request taker;
            monitor.lock();
            try {
                waiters.ended(attempt);
                taker = bound != null ? bound : waiters.firstSharing();
                if (taker != null && (taker.isDecided() || home.isClosed())) {
                    taker = null;
                }
                if (taker != null) {
                    Hold former = current;
                    loss = former == null ? null : lost(former, "the store has let in the next one");
                    waiters.remove(taker);
                    admit(taker, turn);
                }
                retireIfEmpty();
            } finally {
                monitor.unlock();
            }
            announce(loss);
            if (taker == null) {
                grant.leave();
            } else {
                tell(taker);
            }
        }

        @Override
        public void refused() {
            end(Request.No.REFUSED);
        }

        @Override
        public void failed(LockStoreException reason) {
            end(new Request.Failure(() -> new LockStoreException(String.valueOf(reason.getMessage()), reason)));
        }

        @Override
        public void waiting() {
            guarded(() -> waiters.concernedBy(bound)).forEach(Gate.this::contended);
        }

        private void end(Object result) {
            List<Request> told = guarded(() -> {
                waiters.ended(attempt);
                List<Request> concerned = waiters.concernedBy(bound);
                for (Request request : concerned) {
                    waiters.remove(request);
                    request.decide(result);
                }
                retireIfEmpty();
                return concerned;
            });
            told.forEach(Request::signal);
        }
    }

    /**
     * Ends the wait of a request.
     *
     * @return false if its outcome is known already
     */
    boolean withdraw(Request request, Object outcome) {
        Attempt abandoned;
        monitor.lock();
        try {
            if (request.isDecided()) {
                return false;
            }
            request.decide(outcome);
            abandoned = waiters.leave(request);
            retireIfEmpty();
        } finally {
            monitor.unlock();
        }
        if (abandoned != null) {
            abandoned.abandon();
        }
        request.signal();
        return true;
    }

    /** The time of a request has passed. */
    void timeOut(Request request) {
        Attempt attempt = guarded(() -> waiters.serving(request));
        boolean answered = attempt == null || attempt.answered();
        long waited = home.time().nanoTime() - request.since();
        boolean silent = !answered
                && (!home.isStoreInTouch() || waited >= home.storeTimeout().toNanos());
        Object unanswered = new Request.Failure(
                () -> new LockStoreException(describeStore() + " did not answer in time for lock '" + name + "'"));
        withdraw(request, silent ? unanswered : Request.No.REFUSED);
    }

    /** What this thread holds, or has lost and not yet unlocked. */
    @Nullable
    Hold holdOf(Thread thread) {
        Hold hold = current;
        return hold != null && hold.owner() == thread ? hold : lost.get(thread);
    }

    /**
     * Ends a hold: hands the ticket over, keeps it, or gives it back.
     *
     * @return what to await if the store's word is wanted; null if nothing was sent
     * @throws LockLostException if it was lost
     */
    @Nullable
    CompletionStage<Void> release(Hold hold) {
        boolean held = hold.isHeld();
        Turn turn = hold.turn();
        Request next;
        boolean keep;
        boolean ask;
        long heldNanos;
        Attempt begin;
        monitor.lock();
        try {
            if (!held || !hold.isOpen()) {
                forgetLost(hold);
                throw hold.exception();
            }
            long now = home.time().nanoTime();
            hold.markReleased();
            current = null;
            heldNanos = now - hold.since();
            next = waiters.firstSharing();
            if (next != null) {
                keep = turn.mayHandOver(shape, now);
            } else {
                keep = shape.retain() && waiters.isEmpty() && !home.isClosed() && turn.mayRetain(shape, now);
            }
            if (keep && next != null) {
                turn.handedOver();
                waiters.remove(next);
                admit(next, turn);
            } else if (keep) {
                idle = turn;
            }
            ask = keep && turn.beginAsking();
            begin = keep ? null : attemptIfNeeded();
            retireIfEmpty();
        } finally {
            monitor.unlock();
        }
        CompletionStage<Void> acknowledged = keep ? null : turn.grant().leave();
        start(begin);
        home.events().released(name, heldNanos);
        if (keep && next != null) {
            home.events().handedOver(name);
            tell(next);
        }
        if (ask) {
            ask(turn);
        }
        return acknowledged;
    }

    /** A thread unlocks what it has lost: one nested hold less to remember. */
    private void forgetLost(Hold hold) {
        Thread owner = hold.owner();
        if (owner != null && hold.less() <= 0) {
            lost.remove(owner, hold);
            retireIfEmpty();
        }
    }

    /** Finds out whether others wait, without waiting for the answer. */
    private void ask(Turn turn) {
        turn.grant()
                .alone(() -> learn(turn, () -> turn.arrived(home.time().nanoTime())))
                .whenComplete((alone, failure) -> learn(turn, () -> turn.answered(failure == null && alone)));
    }

    /** A newcomer must not wait for a ticket that nobody here wants. */
    private void learn(Turn turn, Runnable news) {
        boolean unwanted = guarded(() -> {
            news.run();
            return turn.othersWait() && dropIdle(turn);
        });
        if (unwanted) {
            leave(turn);
        }
    }

    private boolean dropIdle(@Nullable Turn turn) {
        boolean drop = turn != null && idle == turn;
        if (drop) {
            idle = null;
            retireIfEmpty();
        }
        return drop;
    }

    /** A hold that was lost: what is left to do without the monitor. */
    private record Loss(
            Hold hold, List<Runnable> actions, @Nullable Attempt begin) {}

    /** Notes that a hold is lost, unless that is known. */
    void lose(Hold hold, String reason) {
        announce(guarded(() -> lost(hold, reason)));
    }

    private @Nullable Loss lost(Hold hold, String reason) {
        if (!hold.isOpen()) {
            return null;
        }
        List<Runnable> actions = hold.markLost(reason);
        Thread owner = hold.owner();
        if (owner != null && owner.isAlive()) {
            lost.put(owner, hold); // before it is no longer the current one: its thread must find it here or there
        }
        if (current == hold) {
            current = null;
        }
        Loss loss = new Loss(hold, actions, attemptIfNeeded());
        retireIfEmpty();
        return loss;
    }

    private void announce(@Nullable Loss loss) {
        if (loss != null) {
            Hold hold = loss.hold();
            leave(hold.turn());
            start(loss.begin());
            home.events().lost(name, home.time().nanoTime() - hold.since(), hold.reasonOfLoss());
            loss.actions().forEach(home.events()::run);
        }
    }

    /** Somebody else has taken the grant away, or its time is up. */
    private void gone(Turn turn) {
        Loss loss = guarded(() -> {
            Hold hold = current;
            return hold != null && hold.turn() == turn ? lost(hold, turn.grant().reasonOfLoss()) : null;
        });
        announce(loss);
        if (guarded(() -> dropIdle(turn))) {
            leave(turn);
        }
    }

    /** The session has changed: whoever has lost the lock is told, and whoever waits looks again. */
    void poke() {
        Hold hold = current;
        if (hold != null) {
            hold.isHeld();
        }
        leave(guarded(() -> {
            Turn kept = idle;
            return kept != null && !kept.grant().valid() && dropIdle(kept) ? kept : null;
        }));
        attempts().forEach(Attempt::poke);
    }

    void departed(Ticket ticket) {
        attempts().forEach(attempt -> attempt.departed(ticket));
    }

    void beat() {
        Turn turn = guarded(() -> {
            if (lost.keySet().removeIf(thread -> !thread.isAlive())) {
                retireIfEmpty();
            }
            return current != null ? current.turn() : idle;
        });
        if (turn != null) {
            turn.grant().beat();
        }
        attempts().forEach(Attempt::beat);
    }

    private List<Attempt> attempts() {
        return guarded(waiters::attempts);
    }

    /** The client is closed: fails the waiters, and gives back what there is. */
    void close() {
        List<Attempt> abandoned = attempts();
        Turn kept;
        List<Request> failed;
        monitor.lock();
        try {
            failed = waiters.clear();
            failed.forEach(request -> request.decide(new Request.Failure(home::closedException)));
            kept = idle;
            idle = null;
        } finally {
            monitor.unlock();
        }
        abandoned.forEach(Attempt::abandon);
        failed.forEach(Request::signal);
        leave(kept);
        Hold hold = current;
        if (hold != null) {
            lose(hold, "the client was closed");
        }
    }

    private static void leave(@Nullable Turn turn) {
        if (turn != null) {
            turn.grant().leave();
        }
    }

    private static void start(@Nullable Attempt attempt) {
        if (attempt != null) {
            attempt.start();
        }
    }

    private void retireIfEmpty() {
        if (!retired && current == null && idle == null && waiters.isEmpty() && lost.isEmpty()) {
            retired = true;
            home.retire(name, this);
        }
    }
}
