package io.wellkeeper.internal;

import io.wellkeeper.LockStoreException;
import io.wellkeeper.Registration;
import io.wellkeeper.spi.Session;
import io.wellkeeper.spi.SessionListener;
import io.wellkeeper.spi.SessionLostException;
import io.wellkeeper.spi.SessionOptions;
import io.wellkeeper.spi.StoreRecoveringException;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketStore;
import io.wellkeeper.spi.Time;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Sees to it that the client has a session: opens it, keeps it alive by one heartbeat, keeps its deadline, and opens
 * another when the store has ended it.
 *
 * <pre>
 *   opening --first heartbeat acknowledged--> LIVE --deadline passed--> SUSPECT --heartbeat acknowledged--> LIVE
 *      ^                                       |                          |
 *      +---------------------------------------+------ store says ended --+--> LOST
 * </pre>
 *
 * <p>A heartbeat that fails is sent again soon, and then again after pauses that grow up to a quarter of the interval.
 * If it was only sent again at the next regular time, the deadline could pass although a broken connection had come
 * back before.
 *
 * <p>If a session cannot be opened, the keeper tries again after a pause, or at the time that the store has named. But
 * if the store refuses for a reason that waiting cannot remove, all waiters are told so. Then nothing is sent any more
 * until a caller {@linkplain #demand() needs} a session again.
 */
final class SessionKeeper {

    /** The user of the session. Its methods are called by threads that hold no monitor. */
    interface User {

        /** There is another session or none, or the state or the deadline of the session has changed. */
        void sessionChanged();

        /** A regular heartbeat is being sent. */
        void beat();

        /** The store gives no session, for a reason that waiting cannot remove. */
        void refused(LockStoreException why);

        /** A ticket of this client has been given back or replaced. */
        void departed(String name, Ticket ticket);
    }

    private static final Duration FIRST_PAUSE = Duration.ofMillis(200);
    private static final Duration LAST_PAUSE = Duration.ofMillis(500);

    private final TicketStore store;
    private final SessionOptions options;
    private final Time time;
    private final Events events;
    private final User user;
    private final Monitor lock = new Monitor(); // guards the fields below; never held while calling out
    private final Trouble trouble;
    private final Pauses pauses = new Pauses(FIRST_PAUSE, LAST_PAUSE);
    private CompletableFuture<LiveSession> coming = new CompletableFuture<>();
    private volatile @Nullable LiveSession live;
    private boolean everLive;
    private boolean idle; // the store has refused, and nobody has needed a session since
    private @Nullable Throwable lastFailure;
    private Registration nextBeat = Registration.NONE;
    private Registration nextTry = Registration.NONE; // of a heartbeat that has failed or was late
    private Registration nextCheck = Registration.NONE;
    private boolean closed;

    SessionKeeper(TicketStore store, SessionOptions options, Time time, Events events, User user) {
        this.store = store;
        this.options = options;
        this.time = time;
        this.events = events;
        this.user = user;
        this.trouble = new Trouble(events, address());
    }

    /** The session to use; null while there is none. */
    @Nullable
    LiveSession session() {
        return live;
    }

    /** The session to use, or the next one; fails if the store refuses it. */
    CompletableFuture<LiveSession> coming() {
        lock.lock();
        try {
            return coming;
        } finally {
            lock.unlock();
        }
    }

    /** Whether the first session is being opened and no try has failed yet. */
    boolean isFirstContact() {
        lock.lock();
        try {
            return !everLive && lastFailure == null;
        } finally {
            lock.unlock();
        }
    }

    /** A caller needs a session. If the store has refused one, it is asked again. */
    void demand() {
        lock.lock();
        try {
            if (!idle || closed) {
                return;
            }
            idle = false;
            lastFailure = null;
        } finally {
            lock.unlock();
        }
        open();
    }

    /**
     * Why the last try to open a session has failed; null if it has succeeded, or if {@link #demand} has begun a new
     * one.
     */
    @Nullable
    Throwable lastFailure() {
        lock.lock();
        try {
            return lastFailure;
        } finally {
            lock.unlock();
        }
    }

    void open() {
        if (isClosed()) {
            return;
        }
        Listening listening = new Listening();
        Calls.stage(() -> store.open(options, listening)).whenComplete((session, failure) -> {
            if (session == null) {
                reopen(failure);
            } else {
                firstBeat(session, listening);
            }
        });
    }

    private void firstBeat(Session session, Listening listening) {
        long sentAt = time.nanoTime();
        CompletionStage<LiveSession> begun = Calls.stage(session::heartbeat)
                .thenApply(ok -> new LiveSession(session, time, sentAt, user::departed, this::troubled));
        begun.whenComplete((opened, failure) -> {
            if (failure != null) {
                Calls.stage(session::close);
                reopen(failure);
                return;
            }
            boolean keep;
            CompletableFuture<LiveSession> expected;
            lock.lock();
            try {
                keep = !closed;
                expected = coming;
                if (keep) {
                    live = opened;
                    everLive = true;
                    lastFailure = null;
                    pauses.reset();
                }
            } finally {
                lock.unlock();
            }
            if (!keep) {
                Calls.stage(session::close);
                return;
            }
            trouble.isOver();
            scheduleBeat(opened);
            scheduleCheck(opened);
            beatAgainIfLate(opened, sentAt);
            if (listening.begin(opened)) {
                user.sessionChanged();
            }
            expected.complete(opened); // last, so that calls which ask once come behind those that have been waiting
        });
    }

    /** The try to open a session has failed. Unless the store has refused for good, it is asked again after a pause. */
    private void reopen(@Nullable Throwable failure) {
        Throwable reason = failure == null ? new LockStoreException("the store has given no session") : failure;
        Optional<Duration> recovering = recovering(reason);
        CompletableFuture<LiveSession> refused = null;
        boolean known;
        lock.lock();
        try {
            if (closed) {
                return;
            }
            known = recovering.isPresent() && recovering(lastFailure).isPresent();
            lastFailure = reason;
            if (Calls.isRefusal(reason)) {
                idle = true;
                refused = coming;
                coming = new CompletableFuture<>();
            } else {
                Duration pause = pauses.next(time.nanoTime());
                Duration wanted = recovering.orElse(pause);
                // without a pause, the keeper would ask the store again and again
                boolean none = wanted.isNegative() || wanted.isZero();
                nextBeat = time.schedule(none ? pause : wanted, this::open);
            }
        } finally {
            lock.unlock();
        }
        if (!known) {
            trouble.is("no session: " + Calls.message(reason));
        }
        if (refused != null) {
            refused.completeExceptionally(reason);
            user.refused(translate(reason));
        }
    }

    /** Whether the store answered the last try to open a session by saying that it only needs time. */
    boolean isRecovering() {
        return recovering(lastFailure()).isPresent();
    }

    private static Optional<Duration> recovering(@Nullable Throwable failure) {
        return failure != null && Calls.unwrap(failure) instanceof StoreRecoveringException wants
                ? Optional.of(wants.suggestedWait())
                : Optional.empty();
    }

    private void scheduleBeat(LiveSession session) {
        lock.lock();
        try {
            if (!closed && session == live) {
                nextBeat = time.schedule(session.heartbeatInterval(), () -> beat(session));
            }
        } finally {
            lock.unlock();
        }
    }

    private void beat(LiveSession session) {
        scheduleBeat(session);
        sendBeat(session);
        user.beat();
    }

    private void sendBeat(LiveSession session) {
        if (session.ended() || !session.beginBeat()) {
            return;
        }
        long sentAt = time.nanoTime();
        Calls.stage(session.session()::heartbeat).whenComplete((ok, failure) -> {
            if (failure != null) {
                Duration pause = session.notRenewed();
                lostIfSo(session, failure);
                sendBeatAfter(session, pause);
                return;
            }
            endTry(session); // first: until the next line no other heartbeat can fail, and so need another try
            boolean revived = session.renewed(sentAt);
            beatAgainIfLate(session, sentAt);
            if (revived) {
                scheduleCheck(session);
                session.payDebts();
                user.sessionChanged();
            }
        });
    }

    private void sendBeatAfter(LiveSession session, Duration pause) {
        lock.lock();
        try {
            if (!closed && session == live) {
                nextTry.close();
                nextTry = time.schedule(pause, () -> sendBeat(session));
            }
        } finally {
            lock.unlock();
        }
    }

    /** A heartbeat has been acknowledged: an earlier one that has failed need not be sent again. */
    private void endTry(LiveSession session) {
        lock.lock();
        try {
            if (session == live) {
                nextTry.close();
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Sends another heartbeat if this one was acknowledged late: it prolongs the session by little, perhaps not until
     * the next regular heartbeat. The timer sends it, in its turn. If it was sent from here, heartbeats that block and
     * are late again and again would keep everything else from running.
     */
    private void beatAgainIfLate(LiveSession session, long sentAt) {
        if (time.nanoTime() - sentAt >= session.heartbeatInterval().toNanos()) {
            sendBeatAfter(session, Duration.ZERO);
        }
    }

    /**
     * The store fails to carry out a request within the session, or carries out requests again.
     *
     * @param failure why the store fails; null if it carries out requests again
     */
    void troubled(@Nullable Throwable failure) {
        if (failure == null) {
            trouble.isOver();
        } else {
            trouble.is(Calls.message(failure));
        }
    }

    /** Ends the session if the store's exception says that it has ended. */
    void lostIfSo(LiveSession session, Throwable failure) {
        if (Calls.unwrap(failure) instanceof SessionLostException) {
            ended(session);
        }
    }

    /** Schedules a check at the deadline, which will most often have moved on by then. */
    private void scheduleCheck(LiveSession session) {
        lock.lock();
        try {
            if (closed || session != live) {
                return;
            }
            long left = session.deadlineNanos() - time.nanoTime();
            nextCheck.close();
            nextCheck = time.schedule(Duration.ofNanos(Math.max(0, left)), () -> check(session));
        } finally {
            lock.unlock();
        }
    }

    private void check(LiveSession session) {
        if (session.ended()) {
            return;
        }
        if (session.alive()) {
            scheduleCheck(session);
        } else {
            events.storeTrouble(address(), "no heartbeat was acknowledged for as long as a lock is safe");
            user.sessionChanged();
        }
    }

    private void ended(LiveSession session) {
        if (!session.end()) {
            return;
        }
        lock.lock();
        try {
            if (live == session) {
                live = null;
                coming = new CompletableFuture<>();
            }
            nextBeat.close();
            nextTry.close();
            nextCheck.close();
        } finally {
            lock.unlock();
        }
        events.storeTrouble(address(), "the store has ended the session " + session.id());
        user.sessionChanged();
        open();
    }

    private boolean isClosed() {
        lock.lock();
        try {
            return closed;
        } finally {
            lock.unlock();
        }
    }

    /** Ends the session. What is still owed to the store ends with it. */
    CompletionStage<Void> close() {
        LiveSession last;
        lock.lock();
        try {
            closed = true;
            last = live;
            live = null;
            nextBeat.close();
            nextTry.close();
            nextCheck.close();
        } finally {
            lock.unlock();
        }
        if (last == null) {
            return CompletableFuture.completedFuture(null);
        }
        last.end();
        return Calls.stage(last.session()::close);
    }

    private String address() {
        return Calls.address(store::address);
    }

    /** What the store's exception means to the caller of a lock. */
    LockStoreException translate(Throwable failure) {
        return Calls.translate(address(), failure);
    }

    /** Receives the events of one session, which may not be in use yet. */
    private final class Listening implements SessionListener {

        private @Nullable LiveSession session; // guarded by lock
        private boolean lost; // guarded by lock

        /**
         * The session is in use: its events are passed on from now.
         *
         * @return false if it is lost already
         */
        boolean begin(LiveSession opened) {
            boolean lostAlready;
            lock.lock();
            try {
                session = opened;
                lostAlready = lost;
            } finally {
                lock.unlock();
            }
            if (lostAlready) {
                ended(opened);
            }
            return !lostAlready;
        }

        @Override
        public void suspect(String problem) {
            events.storeTrouble(address(), problem);
        }

        @Override
        public void live() {
            LiveSession known = known();
            if (known != null) {
                sendBeat(known);
                known.payDebts();
                user.sessionChanged();
            }
        }

        @Override
        public void lost() {
            LiveSession known;
            lock.lock();
            try {
                lost = true;
                known = session;
            } finally {
                lock.unlock();
            }
            if (known != null) {
                ended(known);
            }
        }

        private @Nullable LiveSession known() {
            lock.lock();
            try {
                return session;
            } finally {
                lock.unlock();
            }
        }
    }
}
