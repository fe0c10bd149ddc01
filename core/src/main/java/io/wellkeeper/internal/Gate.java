package io.wellkeeper.internal;

import io.wellkeeper.LockClientClosedException;
import io.wellkeeper.LockLostException;
import io.wellkeeper.LockOptions;
import io.wellkeeper.LockStoreException;
import io.wellkeeper.Registration;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.Time;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One lock name within one client: who of this process holds it, who waits, and the one ticket that they share.
 *
 * <pre>
 *   callers --request--> [ waiting, first come first served ] --hand-over--> current hold --release--+
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
    private final Set<Request> waiting = new LinkedHashSet<>();
    private @Nullable Attempt shared; // on behalf of those waiting without an attempt of their own
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

    /**
     * Lets a request in, puts it in the queue, or refuses it.
     *
     * @return false if this gate is retired; there is another
     */
    boolean submit(Request request) {
        Turn unusable = null;
        Attempt begin = null;
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
            if (kept != null && kept.mayRetain()) {
                admit(request, kept);
            } else {
                unusable = kept;
                begin = queueUp(request);
            }
        } finally {
            retireIfEmpty();
            monitor.unlock();
        }
        if (unusable != null) {
            unusable.grant().leave();
        }
        if (begin != null) {
            begin.start();
        }
        if (request.isDecided()) {
            request.signal();
        }
        return true;
    }

    private @Nullable Attempt queueUp(Request request) {
        boolean busy = current != null || !waiting.isEmpty();
        if (busy && !request.mayWait()) {
            request.decide(Request.No.REFUSED);
            return null;
        }
        waiting.add(request);
        if (busy && request.mayWait()) {
            contended(request);
        }
        if (!request.mayWait() || shape.handOvers() == 0) {
            Attempt own = attempt(request);
            request.attempt(own);
            return own;
        }
        if (shared == null && current == null) {
            shared = attempt(null);
            return shared;
        }
        return null;
    }

    private void checkShape(LockOptions options) {
        if (options.handOvers() != shape.handOvers()
                || !options.handOverTime().equals(shape.handOverTime())
                || options.reentrant() != shape.reentrant()
                || options.retain() != shape.retain()) {
            throw new IllegalStateException(
                    "lock '" + name + "' is in use by this client with other options: handOvers,"
                            + " handOverTime, reentrant and retain must be the same wherever a client uses one name");
        }
    }

    private Attempt attempt(@Nullable Request bound) {
        boolean mayWait = bound == null || bound.mayWait();
        Outcome outcome = new Outcome(bound);
        Attempt made = home.contender().attempt(name, mayWait, () -> metadata(bound), outcome);
        outcome.attempt = made;
        return made;
    }

    private String metadata(@Nullable Request bound) {
        monitor.lock();
        try {
            Request request = bound != null ? bound : firstUnbound();
            return request == null ? "" : home.metadata(request);
        } finally {
            monitor.unlock();
        }
    }

    private @Nullable Request firstUnbound() {
        for (Request request : waiting) {
            if (request.attempt() == null) {
                return request;
            }
        }
        return null;
    }

    private void admit(Request request, Turn turn) {
        long now = home.time().nanoTime();
        waiting.remove(request);
        current = new Hold(this, turn, request.owner(), request.options(), now);
        request.decide(current);
        home.events().acquired(name, now - request.since());
    }

    private void contended(Request request) {
        if (request.beginContended()) {
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
            Request taker;
            Losing losing = null;
            Turn turn = new Turn(grant, home.time().nanoTime());
            grant.begin(() -> gone(turn));
            monitor.lock();
            try {
                forget();
                taker = bound != null ? bound : firstUnbound();
                if (taker != null && (taker.isDecided() || home.isClosed())) {
                    taker = null;
                }
                if (taker != null) {
                    Hold former = current;
                    if (former != null) {
                        losing = lose(former, "the store has let in the next one");
                    }
                    admit(taker, turn);
                }
                retireIfEmpty();
            } finally {
                monitor.unlock();
            }
            if (losing != null) {
                losing.run();
            }
            if (taker == null) {
                grant.leave();
            } else {
                taker.signal();
            }
        }

        @Override
        public void refused() {
            finish(Request.No.REFUSED);
        }

        @Override
        public void failed(LockStoreException reason) {
            finish(new Request.Failure(() -> new LockStoreException(String.valueOf(reason.getMessage()), reason)));
        }

        @Override
        public void waiting() {
            monitor.lock();
            try {
                if (bound != null) {
                    contended(bound);
                } else {
                    Gate.this.waiting.forEach(Gate.this::contended);
                }
            } finally {
                monitor.unlock();
            }
        }

        private void finish(Object result) {
            List<Request> told = new ArrayList<>();
            monitor.lock();
            try {
                forget();
                for (Request request : Gate.this.waiting) {
                    if (bound != null ? request == bound : request.attempt() == null) {
                        told.add(request);
                    }
                }
                told.forEach(Gate.this.waiting::remove);
                told.forEach(request -> request.decide(result));
                retireIfEmpty();
            } finally {
                monitor.unlock();
            }
            told.forEach(Request::signal);
        }

        private void forget() {
            if (shared == attempt) {
                shared = null;
            }
        }
    }

    /**
     * Ends the wait of a request.
     *
     * @return false if its outcome is known already
     */
    boolean withdraw(Request request, Object outcome) {
        Attempt leave = null;
        monitor.lock();
        try {
            if (request.isDecided()) {
                return false;
            }
            request.decide(outcome);
            waiting.remove(request);
            if (request.attempt() != null) {
                leave = request.attempt();
            } else if (firstUnbound() == null) {
                leave = shared;
                shared = null;
            }
            retireIfEmpty();
        } finally {
            monitor.unlock();
        }
        if (leave != null) {
            leave.abandon();
        }
        request.signal();
        return true;
    }

    /** The time of a request has passed. */
    void timeOut(Request request) {
        boolean answered;
        monitor.lock();
        try {
            Attempt attempt = request.attempt() != null ? request.attempt() : shared;
            answered = attempt == null || attempt.answered();
        } finally {
            monitor.unlock();
        }
        withdraw(
                request,
                answered
                        ? Request.No.REFUSED
                        : new Request.Failure(() -> new LockStoreException(
                                home.describeStore() + " did not answer in time for lock '" + name + "'")));
    }

    /** What this thread holds, or has lost and not yet unlocked. */
    @Nullable
    Hold holdOf(Thread thread) {
        Hold hold = current;
        return hold != null && hold.owner() == thread ? hold : lost.get(thread);
    }

    /** Whether the hold is certain. If its time is up that is noticed here, and for good. */
    boolean isHeld(Hold hold) {
        if (!hold.isOpen()) {
            return false;
        }
        if (hold.turn().grant().valid()) {
            return hold.isOpen();
        }
        loseNow(hold, hold.turn().grant().reasonOfLoss());
        return false;
    }

    void checkHeld(Hold hold) {
        if (!isHeld(hold)) {
            throw exception(hold);
        }
    }

    /** What to tell the one who uses a hold that is not held. */
    IllegalMonitorStateException exception(Hold hold) {
        return hold.isLost()
                ? new LockLostException("lock '" + name + "' was lost: " + hold.reasonOfLoss())
                : new IllegalMonitorStateException("lock '" + name + "' was released");
    }

    long fencingToken(Hold hold) {
        checkHeld(hold);
        OptionalLong token;
        monitor.lock();
        try {
            if (!hold.isOpen()) {
                throw exception(hold);
            }
            token = hold.token();
        } finally {
            monitor.unlock();
        }
        return token.orElseThrow(
                () -> new UnsupportedOperationException(home.describeStore() + " has no honest fencing token"));
    }

    long remainingNanos(Hold hold) {
        return isHeld(hold)
                ? Math.max(0, hold.turn().grant().deadlineNanos() - home.time().nanoTime())
                : 0;
    }

    Registration onLost(Hold hold, Runnable action) {
        monitor.lock();
        try {
            if (hold.isOpen()) {
                hold.lossActions().add(action);
                return () -> forgetAction(hold, action);
            }
        } finally {
            monitor.unlock();
        }
        if (hold.isLost()) {
            home.events().run(action);
        }
        return Registration.NONE;
    }

    private void forgetAction(Hold hold, Runnable action) {
        monitor.lock();
        try {
            hold.lossActions().remove(action);
        } finally {
            monitor.unlock();
        }
    }

    /** A thread unlocks what it has lost: one nested hold less to remember. */
    private void forgetLost(Hold hold) {
        Thread owner = hold.owner();
        if (owner == null) {
            return;
        }
        monitor.lock();
        try {
            if (hold.less() <= 0) {
                lost.remove(owner, hold);
                retireIfEmpty();
            }
        } finally {
            monitor.unlock();
        }
    }

    /**
     * Ends a hold: hands the ticket over, keeps it, or gives it back.
     *
     * @return what to await if the store's word is wanted; null if nothing was sent
     * @throws LockLostException if it was lost
     */
    @Nullable
    CompletionStage<Void> release(Hold hold) {
        if (!isHeld(hold)) {
            forgetLost(hold);
            throw exception(hold);
        }
        Turn turn = hold.turn();
        Turn ask = null;
        Turn back = null;
        Attempt begin = null;
        Request next;
        monitor.lock();
        try {
            if (!hold.isOpen()) {
                forgetLost(hold);
                throw exception(hold);
            }
            long now = home.time().nanoTime();
            hold.release();
            current = null;
            home.events().released(name, now - hold.since());
            next = firstUnbound();
            boolean keep = false;
            if (next != null) {
                keep = turn.mayHandOver(shape, now);
            } else if (shape.retain() && waiting.isEmpty() && !home.isClosed()) {
                keep = turn.mayRetain();
            }
            if (!keep) {
                back = turn;
                if (next != null && shared == null) {
                    begin = shared = attempt(null);
                }
                next = null;
            } else if (next != null) {
                turn.handedOver();
                admit(next, turn);
                home.events().handedOver(name);
            } else {
                idle = turn;
            }
            if (keep && turn.beginAsking()) {
                ask = turn;
            }
            retireIfEmpty();
        } finally {
            monitor.unlock();
        }
        if (next != null) {
            next.signal();
        }
        CompletionStage<Void> left = back == null ? null : back.grant().leave();
        if (begin != null) {
            begin.start();
        }
        if (ask != null) {
            ask(ask);
        }
        return left;
    }

    /** Finds out whether others wait, without waiting for the answer. */
    private void ask(Turn turn) {
        turn.grant()
                .alone(() -> learn(turn, () -> turn.arrived(home.time().nanoTime())))
                .whenComplete((alone, failure) -> learn(turn, () -> turn.answered(failure == null && alone)));
    }

    /** A newcomer must not wait for a ticket that nobody here wants. */
    private void learn(Turn turn, Runnable news) {
        boolean leave;
        monitor.lock();
        try {
            news.run();
            leave = idle == turn && turn.othersWait();
            if (leave) {
                idle = null;
                retireIfEmpty();
            }
        } finally {
            monitor.unlock();
        }
        if (leave) {
            turn.grant().leave();
        }
    }

    /** What is left to do, without the monitor, for a hold that was lost. */
    private final class Losing implements Runnable {

        private final Hold hold;
        private final List<Runnable> actions;
        private final @Nullable Attempt begin;

        Losing(Hold hold, List<Runnable> actions, @Nullable Attempt begin) {
            this.hold = hold;
            this.actions = actions;
            this.begin = begin;
        }

        @Override
        public void run() {
            hold.turn().grant().leave();
            if (begin != null) {
                begin.start();
            }
            home.events().lost(name, home.time().nanoTime() - hold.since(), hold.reasonOfLoss());
            actions.forEach(home.events()::run);
        }
    }

    private void loseNow(Hold hold, String reason) {
        Losing losing;
        monitor.lock();
        try {
            losing = lose(hold, reason);
        } finally {
            monitor.unlock();
        }
        if (losing != null) {
            losing.run();
        }
    }

    private @Nullable Losing lose(Hold hold, String reason) {
        if (!hold.isOpen()) {
            return null;
        }
        hold.lose(reason);
        if (current == hold) {
            current = null;
        }
        Thread owner = hold.owner();
        if (owner != null) {
            lost.keySet().removeIf(thread -> !thread.isAlive());
            lost.put(owner, hold);
        }
        Attempt begin = null;
        if (shared == null && firstUnbound() != null && !home.isClosed()) {
            begin = shared = attempt(null);
        }
        List<Runnable> actions = List.copyOf(hold.lossActions());
        hold.lossActions().clear();
        retireIfEmpty();
        return new Losing(hold, actions, begin);
    }

    /** The session has changed: whoever has lost the lock is told, and whoever waits looks again. */
    void poke() {
        Hold hold = current;
        if (hold != null) {
            isHeld(hold);
        }
        Turn stale = null;
        monitor.lock();
        try {
            if (idle != null && !idle.mayRetain()) {
                stale = idle;
                idle = null;
                retireIfEmpty();
            }
        } finally {
            monitor.unlock();
        }
        if (stale != null) {
            stale.grant().leave();
        }
        attempts().forEach(Attempt::poke);
    }

    void departed(Ticket ticket) {
        attempts().forEach(attempt -> attempt.departed(ticket));
    }

    void beat() {
        Turn turn;
        monitor.lock();
        try {
            Hold hold = current;
            turn = hold != null ? hold.turn() : idle;
        } finally {
            monitor.unlock();
        }
        if (turn != null) {
            turn.grant().beat();
        }
        attempts().forEach(Attempt::beat);
    }

    /** Somebody else has taken the grant away, or its time is up. */
    private void gone(Turn turn) {
        Losing losing = null;
        boolean leave = false;
        monitor.lock();
        try {
            Hold hold = current;
            if (hold != null && hold.turn() == turn) {
                losing = lose(
                        hold,
                        turn.grant().valid()
                                ? "somebody has removed it"
                                : turn.grant().reasonOfLoss());
            } else if (idle == turn) {
                idle = null;
                leave = true;
                retireIfEmpty();
            }
        } finally {
            monitor.unlock();
        }
        if (losing != null) {
            losing.run();
        } else if (leave) {
            turn.grant().leave();
        }
    }

    private List<Attempt> attempts() {
        List<Attempt> all = new ArrayList<>();
        monitor.lock();
        try {
            if (shared != null) {
                all.add(shared);
            }
            for (Request request : waiting) {
                if (request.attempt() != null) {
                    all.add(request.attempt());
                }
            }
        } finally {
            monitor.unlock();
        }
        return all;
    }

    /** The client is closed: fails the waiters, and gives back what there is. */
    void close() {
        List<Request> failed;
        List<Attempt> abandoned = attempts();
        Turn kept;
        monitor.lock();
        try {
            failed = List.copyOf(waiting);
            waiting.clear();
            shared = null;
            kept = idle;
            idle = null;
            failed.forEach(request -> request.decide(new Request.Failure(home::closedException)));
        } finally {
            monitor.unlock();
        }
        abandoned.forEach(Attempt::abandon);
        failed.forEach(Request::signal);
        if (kept != null) {
            kept.grant().leave();
        }
        Hold hold = current;
        if (hold != null) {
            loseNow(hold, "the client was closed");
        }
    }

    private void retireIfEmpty() {
        if (!retired && current == null && idle == null && shared == null && waiting.isEmpty() && lost.isEmpty()) {
            retired = true;
            home.retire(name, this);
        }
    }
}
