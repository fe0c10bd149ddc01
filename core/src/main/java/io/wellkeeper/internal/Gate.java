package io.wellkeeper.internal;

import io.wellkeeper.LockClientClosedException;
import io.wellkeeper.LockLostException;
import io.wellkeeper.LockOptions;
import io.wellkeeper.LockStoreException;
import io.wellkeeper.spi.Mode;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.Time;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * All that one client does with one name: the holders and the waiters in this process, and the tickets that they share.
 *
 * <pre>
 *   callers --request--> [ waiters, first come first served ] --hand-over--> turn, with its holds --release--+
 *                                     |                            ^                                         |
 *                                     | nobody has a ticket        | entered                                 | bound reached,
 *                                     v                            |                                         | or nobody waits
 *                                  attempt --(store: acquire loop)-+                                         v
 *                                     ^                                                               ticket given back
 *                                     +--------------- somebody waits: take the next number -----------------+
 * </pre>
 *
 * <p>A mutex has one turn with one hold. The readers of a read-write lock share a turn. When a writer goes on as a
 * reader, its turn is softened, and other readers may join it. A request has an attempt of its own, and so a number of
 * its own, if the hand-over bound is 0, if it is a try that does not wait, if it wants permits of a semaphore, or if it
 * wants a lease that is not renewed.
 *
 * <p>The monitor guards everything. It is held for bookkeeping only: the gate talks to the store, wakes threads and
 * tells listeners after it has released the monitor. It gives a ticket back before it takes the next one.
 */
final class Gate {

    private static final Supplier<String> OVERTAKEN = () -> "the store has let in the next one";

    private final String name;
    private final LockOptions shape;
    private final boolean counted; // a semaphore, not a lock
    private final Home home;

    private final Monitor monitor = new Monitor();
    private final Waiters waiters = new Waiters();
    private final Set<Turn> turns = new LinkedHashSet<>(); // one without holds is retained while nobody wants it
    private final Map<Seat, Hold> seats = new ConcurrentHashMap<>(); // also lost holds, until their threads unlock
    private boolean retired; // the gate is empty, and takes no more requests

    /** The key by which a thread finds its hold. */
    private record Seat(Thread thread, Side side) {}

    /** What a gate needs of its client. */
    interface Home {

        Contender contender();

        Time time();

        Events events();

        String describeStore();

        Duration storeTimeout();

        /** Whether the client has heard from the store lately. */
        boolean isStoreInTouch(String name);

        Metadata metadata();

        boolean isClosed();

        LockClientClosedException closedException();

        /** The gate is empty, so another gate may take its place. */
        void retire(String name, Gate gate);
    }

    Gate(String name, Side first, LockOptions shape, Home home) {
        this.name = name;
        this.shape = shape;
        this.counted = first == Side.PERMITS;
        this.home = home;
    }

    String name() {
        return name;
    }

    String describeStore() {
        return home.describeStore();
    }

    long nanosUntil(long deadline) {
        return deadline - now();
    }

    private long now() {
        return home.time().nanoTime();
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

    /** What is to be done once the monitor has been released. */
    private final class After {

        private final List<Turn> left = new ArrayList<>();
        private final List<Supplier<CompletionStage<Void>>> softenings = new ArrayList<>();
        private final List<Attempt> abandoned = new ArrayList<>();
        private final List<Attempt> begun = new ArrayList<>();
        private final List<Request> decided = new ArrayList<>();
        private final List<Hold> lost = new ArrayList<>();
        private final List<Runnable> lossActions = new ArrayList<>();
        private final List<Runnable> news = new ArrayList<>();
        private @Nullable Turn asked;
        private @Nullable CompletionStage<Void> acknowledged; // by the store: what was left or softened

        /** The callers of decided requests are told even if a call to the store throws. */
        void run() {
            try {
                callOut();
            } finally {
                decided.forEach(Gate.this::tell);
            }
            if (asked != null) {
                ask(asked);
            }
        }

        private void callOut() {
            abandoned.forEach(Attempt::abandon); // first, so that no attempt is let in only to leave again
            tellLosses(); // before the lost tickets are given back, because after that the next client may be in
            for (Turn turn : left) {
                acknowledged = turn.grant().leave();
            }
            for (Supplier<CompletionStage<Void>> softening : softenings) {
                acknowledged = softening.get();
            }
            begun.forEach(Attempt::start);
            lost.forEach(Hold::detach);
            news.forEach(Runnable::run);
        }

        private void tellLosses() {
            long now = now();
            for (Hold hold : lost) {
                hold.interruptOwner();
                hold.wake();
                Runnable loss = () -> home.events().lost(hold.acquisition(), now - hold.since(), hold.reasonOfLoss());
                hold.tellLoss(() -> tellEnd(hold, loss));
            }
            lossActions.forEach(home.events()::run);
        }
    }

    /**
     * Lets a request in, puts it in the queue, or refuses it.
     *
     * @return false if this gate is retired, and the caller must ask for the name's new gate
     */
    boolean submit(Request request) {
        After after = new After();
        boolean contended = false;
        monitor.lock();
        try {
            if (retired) {
                return false;
            }
            checkShape(request.side(), request.options());
            request.submittedTo(this, now());
            if (home.isClosed()) {
                throw home.closedException();
            }
            Turn open = openTurn(request, after);
            if (open != null) {
                boolean rivals = waiters.hasOtherThan(request.side());
                open.handedOver(rivals);
                admit(request, open);
                if (!open.side().isHandedOver() && open.beginAsking()) {
                    after.asked = open;
                }
            } else {
                boolean blocked = isBlockedHere(request);
                queueUp(request, blocked, after);
                contended = blocked && request.beginContended();
            }
            if (request.isDecided()) { // a later decision is told by the thread that makes it
                after.decided.add(request);
            }
        } finally {
            retireIfEmpty();
            monitor.unlock();
        }
        try {
            after.run();
        } finally {
            if (contended) {
                tellContended(request);
            }
        }
        return true;
    }

    /** The turn that this request may join, if there is one. A retained turn that it cannot use is given up. */
    private @Nullable Turn openTurn(Request request, After after) {
        Side side = request.side();
        for (Turn turn : List.copyOf(turns)) {
            if (turn.isIdle()) {
                if (turn.side() == side && turn.mayRetain(shape, now())) {
                    return turn;
                }
                turns.remove(turn);
                after.left.add(turn);
            } else if (side == Side.READ
                    && turn.side() == Side.READ
                    && !waiters.hasOtherThan(Side.READ)
                    && turn.mayHandOver(shape, false, now())) {
                return turn;
            }
        }
        return null;
    }

    private boolean isBlockedHere(Request request) {
        return waiters.goBefore(request.side())
                || turns.stream().anyMatch(turn -> !turn.side().tolerates(request.side()));
    }

    private void queueUp(Request request, boolean blocked, After after) {
        if (!request.mayWait() && blocked) {
            request.decide(Request.No.REFUSED);
            return;
        }
        if (!request.mayWait() || shape.handOvers() == 0 || !request.side().isShared()) {
            attemptFor(request, after);
            waiters.addAlone(request);
        } else {
            waiters.add(request);
            attemptsIfNeeded(after);
        }
    }

    void checkShape(Side side, LockOptions options) {
        if ((side == Side.PERMITS) != counted) {
            throw new IllegalStateException("'" + name + "' is in use by this client as a "
                    + (counted ? "semaphore" : "lock") + ", and cannot be a " + (counted ? "lock" : "semaphore"));
        }
        if (!counted
                && (options.handOvers() != shape.handOvers()
                        || !options.handOverTime().equals(shape.handOverTime())
                        || options.reentrant() != shape.reentrant()
                        || options.retain() != shape.retain())) {
            throw new IllegalStateException(
                    "lock '" + name + "' is in use by this client with other options: handOvers, handOverTime,"
                            + " reentrant and retain must be the same wherever a client uses one name");
        }
    }

    private void attemptFor(Request request, After after) {
        Attempt own = attempt(request, request.side());
        request.attempt(own);
        after.begun.add(own);
    }

    /** Begins an attempt for each side with waiters that share one, unless a turn will be handed over to them. */
    private void attemptsIfNeeded(After after) {
        if (home.isClosed()) {
            return;
        }
        for (Side side : Side.values()) {
            if (waiters.needAttempt(side) && turns.stream().noneMatch(turn -> turn.serves(side))) {
                Attempt made = attempt(null, side);
                waiters.share(side, made);
                after.begun.add(made);
            }
        }
    }

    private Attempt attempt(@Nullable Request bound, Side side) {
        boolean mayWait = bound == null || bound.mayWait();
        Want want = bound == null ? side.want() : bound.want();
        Outcome outcome = new Outcome(bound, side);
        Attempt made = home.contender().attempt(name, want, mayWait, () -> metadata(bound, side), outcome);
        outcome.attempt = made;
        return made;
    }

    private String metadata(@Nullable Request bound, Side side) {
        return guarded(() -> home.metadata().of(List.of(), waiters.concernedBy(bound, side)));
    }

    private void admit(Request request, Turn turn) {
        Hold hold = new Hold(this, turn, request, now());
        if (!turn.add(hold)) {
            hold.succeeds();
        }
        turns.add(turn);
        Thread owner = request.owner();
        if (owner != null) {
            seats.put(new Seat(owner, request.side()), hold);
        }
        waiters.remove(request);
        request.decide(hold);
    }

    /**
     * Gives a thread that has a stronger hold a milder one besides, on the same ticket.
     *
     * @param stronger an open hold of this thread
     * @return the new hold
     */
    Hold admitBeside(Hold stronger, Request request) {
        Hold milder = guarded(() -> {
            if (!stronger.isOpen()) {
                throw stronger.exception();
            }
            return admitMilder(stronger, request);
        });
        tellAcquired(request, 0);
        return milder;
    }

    /**
     * @throws IllegalStateException if the ticket is to be removed by a transaction, and somebody else may be in by now
     */
    void refuseIfLast(Turn turn) {
        if (guarded(turn::isLast)) {
            throw new IllegalStateException("lock '" + name
                    + "' is passed on by a transaction; by its ticket nobody gets it again, reads on, or waits");
        }
    }

    private Hold admitMilder(Hold stronger, Request request) {
        refuseIfLast(stronger.turn());
        admit(request, stronger.turn());
        return Request.read(Objects.requireNonNull(request.outcome())).orElseThrow();
    }

    /**
     * Replaces a handle's hold by a milder one, on the same ticket.
     *
     * @throws LockLostException if the stronger hold was lost
     */
    Hold exchange(Hold stronger, Request request) {
        boolean held = stronger.isHeld();
        After after = new After();
        Hold milder;
        monitor.lock();
        try {
            if (!held || !stronger.isOpen()) {
                throw stronger.exception();
            }
            milder = admitMilder(stronger, request);
            after.news.add(() -> tellAcquired(request, 0));
            release(stronger, after);
        } finally {
            monitor.unlock();
        }
        after.run();
        return milder;
    }

    /**
     * Tells the outcome of a request, first to the listener and then to the caller, so that the listener hears of it
     * before the caller can act on it. Must not be called with the monitor held.
     */
    private void tell(Request request) {
        if (request.outcomeIsKnown()) {
            tellOutcome(request);
        }
    }

    private void tellOutcome(Request request) {
        if (request.outcome() instanceof Hold hold) {
            tellAcquired(request, hold.since() - request.since());
        } else {
            home.events().gaveUp(request.acquisition(), now() - request.since(), request.failure(), request::exception);
        }
        request.signal();
    }

    private void tellAcquired(Request request, long waitedNanos) {
        home.events().acquired(request.acquisition(), waitedNanos);
        request.outcomeIsTold();
    }

    private void tellContended(Request request) {
        home.events().contended(request.acquisition());
        if (request.contentionIsTold()) {
            tellOutcome(request);
        }
    }

    /** Told how an attempt ends, for the one request that it was made for, or for all requests that share it. */
    private final class Outcome implements Attempt.Listener {

        private final @Nullable Request bound;
        private final Side side;
        private @Nullable Attempt attempt; // written once, before the attempt is started

        Outcome(@Nullable Request bound, Side side) {
            this.bound = bound;
            this.side = side;
        }

        @Override
        public void entered(Grant grant) {
            Turn turn = new Turn(grant, side, now());
            grant.begin(() -> loseIfGone(turn));
            After after = new After();
            monitor.lock();
            try {
                waiters.ended(attempt);
                List<Request> takers = takers();
                if (takers.isEmpty()) {
                    after.left.add(turn);
                } else {
                    boolean overtaken = isOvertaken(grant);
                    if (!overtaken && grant.valid()) { // else the grant comes too late, and others may be in rightly
                        loseWhatIsNotTolerated(after);
                    }
                    takers.forEach(taker -> admit(taker, turn));
                    after.decided.addAll(takers);
                    if (overtaken) {
                        lose(turn, OVERTAKEN, after);
                    }
                }
                retireIfEmpty();
            } finally {
                monitor.unlock();
            }
            after.run();
            loseIfGone(turn); // what befell the grant before its turn was admitted was told to nobody
        }

        private List<Request> takers() {
            if (home.isClosed()) {
                return List.of();
            }
            if (bound != null || side == Side.READ) {
                return waiters.concernedBy(bound, side);
            }
            Request first = waiters.firstSharing(side);
            return first == null ? List.of() : List.of(first);
        }

        /** Whether a turn that got in later does not tolerate this grant: then the ticket of this grant is gone. */
        private boolean isOvertaken(Grant grant) {
            OptionalLong token = grant.token();
            return token.isPresent()
                    && turns.stream()
                            .filter(other -> !other.side().tolerates(side))
                            .map(other -> other.grant().token())
                            .anyMatch(other -> other.isPresent() && other.getAsLong() > token.getAsLong());
        }

        /**
         * The store has let this attempt in, so the turns that do not tolerate it are lost. A turn whose end is
         * expected is only forgotten.
         */
        private void loseWhatIsNotTolerated(After after) {
            for (Turn other : List.copyOf(turns)) {
                if (other.isLast()) {
                    turns.remove(other);
                } else if (!other.side().tolerates(side)) {
                    lose(other, OVERTAKEN, after);
                }
            }
        }

        @Override
        public void refused() {
            end(Request.No.REFUSED);
        }

        @Override
        public void failed(RuntimeException reason) {
            String message = String.valueOf(reason.getMessage());
            end(new Request.Failure(() -> {
                if (reason instanceof LockClientClosedException) {
                    return home.closedException();
                }
                if (reason instanceof LockStoreException) {
                    return Calls.own(reason);
                }
                return reason instanceof IllegalArgumentException
                        ? new IllegalArgumentException(message, reason)
                        : new IllegalStateException(message, reason);
            }));
        }

        @Override
        public void waiting() {
            guarded(() -> waiters.concernedBy(bound, side).stream()
                            .filter(Request::beginContended)
                            .toList())
                    .forEach(Gate.this::tellContended);
        }

        private void end(Object result) {
            List<Request> told = guarded(() -> {
                waiters.ended(attempt);
                List<Request> concerned = waiters.concernedBy(bound, side);
                for (Request request : concerned) {
                    waiters.remove(request);
                    request.decide(result);
                }
                retireIfEmpty();
                return concerned;
            });
            told.forEach(Gate.this::tell);
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
        try {
            if (abandoned != null) {
                abandoned.abandon();
            }
        } finally {
            tell(request);
        }
        return true;
    }

    /**
     * Ends a request whose time has passed. A store that has not answered yet is not to blame if it has only just been
     * asked, because other requests of this client came first.
     */
    void timeOut(Request request) {
        Attempt attempt = guarded(() -> waiters.serving(request));
        boolean answered = attempt == null || attempt.answered();
        long limit = home.storeTimeout().toNanos();
        long waited = now() - request.since();
        long heldBack = attempt == null ? 0 : Math.max(0, attempt.since() - request.submitted());
        boolean silent =
                !answered && (!home.isStoreInTouch(name) || (waited >= limit && waited - heldBack >= limit / 2));
        Throwable trouble = answered ? null : Objects.requireNonNull(attempt).trouble();
        Object unanswered = new Request.Failure(() -> trouble == null
                ? new LockStoreException(describeStore() + " did not answer in time for lock '" + name + "'")
                : new LockStoreException(
                        describeStore() + " did not do what was asked for lock '" + name + "' in time: "
                                + Calls.message(trouble),
                        Calls.unwrap(trouble)));
        withdraw(request, silent || trouble != null ? unanswered : Request.No.REFUSED);
    }

    /** The hold of this thread, which it may have lost and not yet unlocked; null if there is none. */
    @Nullable
    Hold holdOf(Thread thread, Side side) {
        return seats.get(new Seat(thread, side));
    }

    /**
     * Ends a hold. The ticket is handed over, kept or given back, or stays with the milder holds of the same thread.
     *
     * @param unlocks whether the call counts as an unlock if the hold was lost
     * @return completes when the store has acknowledged the release; null if nothing was sent
     * @throws LockLostException if the hold was lost
     */
    @Nullable
    CompletionStage<Void> release(Hold hold, boolean unlocks) {
        boolean held = hold.isHeld();
        After after = new After();
        monitor.lock();
        try {
            held &= hold.isOpen();
            if (held) {
                release(hold, after);
            } else if (unlocks) {
                forgetLost(hold);
            }
        } finally {
            monitor.unlock();
        }
        if (!held) {
            hold.interruptOwner();
            throw hold.exception();
        }
        after.run();
        return after.acknowledged;
    }

    private void release(Hold hold, After after) {
        long heldNanos = now() - hold.since();
        after.news.add(() -> tellEnd(hold, () -> home.events().released(hold.acquisition(), heldNanos)));
        after.news.add(hold::detach);
        hold.markReleased();
        forget(hold);
        end(hold.turn(), hold, after);
        attemptsIfNeeded(after);
        retireIfEmpty();
    }

    /** Takes a hold off a turn. A turn without holds is handed over, retained or given back. */
    private void end(Turn turn, Hold hold, After after) {
        turn.remove(hold);
        if (!turn.isIdle()) {
            if (turn.soften()) {
                Mode milder = turn.side().mode();
                after.softenings.add(() -> turn.grant().soften(milder, 1));
                joinReaders(turn, after);
            }
            return;
        }
        Side side = turn.side();
        boolean shared = side.isHandedOver();
        boolean rivals = waiters.hasOtherThan(side);
        Request next = shared ? waiters.firstSharing(side) : null;
        if (next != null && turn.mayHandOver(shape, rivals, now())) {
            turn.handedOver(rivals);
            admit(next, turn);
            after.news.add(() -> home.events().handedOver(next.acquisition()));
            after.decided.add(next);
        } else if (next != null || !shared || !mayRetain(turn)) {
            turns.remove(turn);
            after.left.add(turn);
            return;
        }
        if (turn.beginAsking()) {
            after.asked = turn;
        }
    }

    private boolean mayRetain(Turn turn) {
        return shape.retain() && waiters.isEmpty() && !home.isClosed() && turn.mayRetain(shape, now());
    }

    /** A writer has become a reader: waiting readers of this client may join its turn. */
    private void joinReaders(Turn turn, After after) {
        if (turn.side() != Side.READ) {
            return;
        }
        for (Request reader : waiters.sharing(Side.READ)) {
            if (turn.mayHandOver(shape, waiters.hasOtherThan(Side.READ), now())) {
                turn.handedOver(true);
                admit(reader, turn);
                after.decided.add(reader);
            }
        }
        Attempt unneeded = waiters.dropUnneeded(Side.READ);
        if (unneeded != null) {
            after.abandoned.add(unneeded);
        }
    }

    /** A thread unlocks a lost hold: there is one nested acquisition less to remember. */
    private void forgetLost(Hold hold) {
        if (hold.less() <= 0) {
            forget(hold);
            retireIfEmpty();
        }
    }

    private void forget(Hold hold) {
        Thread owner = hold.owner();
        if (owner != null) {
            seats.remove(new Seat(owner, hold.side()), hold);
        }
    }

    /**
     * Gives back some of the permits of a hold, and keeps the others, if there are any.
     *
     * @param fewer 1 or more
     * @return completes when the store has acknowledged the release; null if nothing was sent
     * @throws LockLostException if the hold was lost
     * @throws IllegalMonitorStateException if the hold has not so many permits; nothing is given back
     */
    @Nullable
    CompletionStage<Void> releaseSome(Hold hold, int fewer) {
        boolean held = hold.isHeld();
        After after = new After();
        monitor.lock();
        try {
            if (!held || !hold.isOpen()) {
                throw hold.exception();
            }
            int left = hold.permits() - fewer;
            if (left < 0) {
                throw new IllegalMonitorStateException("semaphore '" + name + "': " + fewer
                        + " permits are to be released, and " + hold.permits() + " are held");
            }
            if (left == 0) {
                release(hold, after);
            } else {
                hold.keep(left);
                after.softenings.add(() -> hold.turn().grant().soften(Side.PERMITS.mode(), left));
                after.news.add(() -> tellPart(hold, fewer));
            }
        } finally {
            monitor.unlock();
        }
        after.run();
        return after.acknowledged;
    }

    private void tellPart(Hold hold, int permits) {
        home.events().partlyReleased(hold.acquisition(), permits);
        Runnable end = guarded(hold::partTold);
        if (end != null) {
            end.run();
        }
    }

    /** Tells the end of a hold, but not before the partial releases that other threads have made before it. */
    private void tellEnd(Hold hold, Runnable told) {
        if (!counted || guarded(() -> hold.mayEnd(told))) {
            told.run();
        }
    }

    /** Finds out whether others wait, without waiting for the answer. */
    private void ask(Turn turn) {
        turn.grant()
                .alone(() -> learn(turn, () -> turn.arrived(now())))
                .whenComplete((alone, failure) -> learn(turn, () -> turn.answered(failure == null && alone)));
    }

    /** Notes what was learnt of others, and gives the ticket back if others wait and no request here wants it. */
    private void learn(Turn turn, Runnable news) {
        boolean unwanted = guarded(() -> {
            news.run();
            return turn.othersWait() && dropIdle(turn);
        });
        if (unwanted) {
            turn.grant().leave();
        }
    }

    private boolean dropIdle(Turn turn) {
        boolean drop = turn.isIdle() && turns.remove(turn);
        if (drop) {
            retireIfEmpty();
        }
        return drop;
    }

    private void lose(Turn turn, Supplier<String> reason) {
        After after = new After();
        guarded(() -> {
            lose(turn, reason, after);
            return null;
        });
        after.run();
    }

    private void lose(Turn turn, Supplier<String> reason, After after) {
        if (!turns.remove(turn)) {
            return;
        }
        after.left.add(turn);
        for (Hold hold : turn.holds()) {
            after.lost.add(hold);
            after.lossActions.addAll(hold.markLost(reason));
            turn.remove(hold);
            Thread owner = hold.owner();
            if (owner != null && !owner.isAlive()) {
                forget(hold);
            }
        }
        attemptsIfNeeded(after);
        retireIfEmpty();
    }

    /** Marks the holds of a turn as lost if its grant was taken away or its time is up. */
    void loseIfGone(Turn turn) {
        if (!turn.grant().valid()) {
            lose(turn, turn.grant()::reasonOfLoss);
        }
    }

    /** A ticket of this client has been given back because the lock is being broken. */
    void departed(Ticket ticket) {
        guarded(() -> turns.stream()
                        .map(Turn::grant)
                        .filter(grant -> grant.ticket().equals(ticket))
                        .toList())
                .forEach(grant -> grant.departed(ticket));
    }

    /** The session has changed: tells the owners of holds that are lost by it. */
    void poke() {
        guarded(() -> List.copyOf(turns)).forEach(this::loseIfGone);
    }

    /**
     * About once a heartbeat: looks after the turns, and brings the descriptions of tickets at the store up to date.
     */
    void beat() {
        List<Runnable> work = new ArrayList<>();
        monitor.lock();
        try {
            seats.entrySet()
                    .removeIf(seat -> !seat.getKey().thread().isAlive()
                            && !seat.getValue().isOpen());
            retireIfEmpty();
            for (Turn turn : turns) {
                work.add(turn.grant()::beat);
                if (!turn.isIdle()) {
                    String text = home.metadata().of(turn.holds(), waitersFor(turn));
                    work.add(() -> turn.grant().describe(text));
                }
            }
            waiters.shared().forEach((side, attempt) -> {
                String text = home.metadata().of(List.of(), waiters.sharing(side));
                work.add(() -> attempt.describe(text));
            });
        } finally {
            monitor.unlock();
        }
        work.forEach(Runnable::run);
    }

    /** The requests that wait for this turn to be handed over. */
    private List<Request> waitersFor(Turn turn) {
        return turn.serves(turn.side()) ? waiters.sharing(turn.side()) : List.of();
    }

    /** The client is closed: fails the waiters, abandons the attempts and ends all turns. */
    void close() {
        After after = new After();
        guarded(() -> {
            after.abandoned.addAll(waiters.attempts());
            for (Request request : waiters.clear()) {
                request.decide(new Request.Failure(home::closedException));
                after.decided.add(request);
            }
            for (Turn turn : List.copyOf(turns)) {
                lose(turn, () -> "the client was closed", after);
            }
            return null;
        });
        after.run();
    }

    private void retireIfEmpty() {
        if (!retired && turns.isEmpty() && waiters.isEmpty() && seats.isEmpty()) {
            retired = true;
            home.retire(name, this);
        }
    }
}
