package io.wellkeeper.internal;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.DistributedBarrier;
import io.wellkeeper.DistributedCondition;
import io.wellkeeper.DistributedLatch;
import io.wellkeeper.DistributedLock;
import io.wellkeeper.DistributedMultiLock;
import io.wellkeeper.DistributedReadWriteLock;
import io.wellkeeper.DistributedSemaphore;
import io.wellkeeper.LeaderElection;
import io.wellkeeper.LockAdmin;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockClientClosedException;
import io.wellkeeper.LockOptions;
import io.wellkeeper.LockStoreException;
import io.wellkeeper.Registration;
import io.wellkeeper.spi.Notice;
import io.wellkeeper.spi.Session;
import io.wellkeeper.spi.SessionOptions;
import io.wellkeeper.spi.StoreRefusalException;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketStore;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Locks made of tickets. */
final class TicketClient extends AbstractClient implements LockClient {

    private static final Duration FIRST_PAUSE = Duration.ofMillis(1);
    private static final Duration LONGEST_PAUSE = Duration.ofMillis(64);
    private static final int MOST_NUMBERS =
            128; // tickets of one semaphore's waiters; so many keep a slow connection busy, too

    private final TicketStore store;
    private final boolean ownsStore;
    private final ConcurrentMap<TicketStore, SessionKeeper> keepers = new ConcurrentHashMap<>(); // by shard
    private final Contender contender;
    private final ConcurrentMap<String, NavigableMap<Long, Waiting>> waiting =
            new ConcurrentHashMap<>(); // by name, first come first
    private final AtomicLong comings = new AtomicLong();
    private final JointQuestions<NamedLatch.Outcome> countDowns = new JointQuestions<>(1, time());
    private final LockAdmin admin = new Administration(this);

    TicketClient(TicketStore store, boolean ownsStore, ClientOptions options) {
        super(options);
        this.store = store;
        this.ownsStore = ownsStore;
        Stragglers stragglers = new Stragglers();
        Contender loops = (name, want, mayWait, metadata, listener) -> new AcquireLoop(
                name,
                want,
                mayWait,
                metadata,
                () -> keeper(name),
                time(),
                waiting -> whileWaiting(name, waiting),
                stragglers,
                listener);
        this.contender = new LocalLine(loops, MOST_NUMBERS, Want::isForPermits);
    }

    /**
     * Opens the first session; closes everything again if that fails. With a clock of the user's own, it does not wait
     * for the session.
     */
    TicketClient connect() {
        SessionKeeper keeper;
        try {
            keeper = keeper("");
        } catch (LockStoreException nowhere) {
            close();
            throw nowhere;
        }
        if (options().time().isPresent()) {
            return this;
        }
        try {
            CompletableFuture<LiveSession> coming = keeper.coming();
            keeper.demand(); // if the store has refused the session by now, no waiter was told
            await(coming, keeper);
            return this;
        } catch (TimeoutException | ExecutionException unreachable) {
            Throwable why = unreachable instanceof ExecutionException ? unreachable : keeper.lastFailure();
            close();
            throw why == null ? silent() : keeper.translate(why);
        } catch (InterruptedException interrupted) {
            close();
            Thread.currentThread().interrupt();
            throw new LockStoreException("interrupted while connecting to " + describeStore(), interrupted);
        }
    }

    /** Waits for the session, and goes on waiting for a store that answers that it only needs time. */
    private void await(CompletableFuture<LiveSession> coming, SessionKeeper keeper)
            throws TimeoutException, ExecutionException, InterruptedException {
        while (true) {
            try {
                coming.get(storeTimeout().toNanos(), TimeUnit.NANOSECONDS);
                return;
            } catch (TimeoutException late) {
                // the session may have begun a moment ago, and the future not be completed yet
                if (!keeper.isRecovering() && keeper.session() == null) {
                    throw late;
                }
            }
        }
    }

    /**
     * The part of the store that keeps a lock.
     *
     * @throws LockStoreException if the store does not say, whatever it throws
     */
    private TicketStore shard(String name) {
        assert Monitor.noneHeld() : "a store is called under a monitor";
        try {
            return Objects.requireNonNull(store.shard(InternalNames.home(name)), "the store has returned no part");
        } catch (Throwable thrown) {
            throw Calls.translate(address(), new StoreRefusalException(Calls.message(thrown), thrown));
        }
    }

    /**
     * The keeper of the session at the shard of a name. At its first use the session is begun.
     *
     * @throws LockStoreException if the store does not say which shard that is
     */
    private SessionKeeper keeper(String name) {
        TicketStore shard = shard(name);
        SessionKeeper known = keepers.get(shard);
        if (known != null) {
            return known;
        }
        SessionKeeper fresh = new SessionKeeper(
                shard,
                new SessionOptions(clientName(), options().sessionTimeout()),
                time(),
                events(),
                new ShardUser(shard));
        known = keepers.putIfAbsent(shard, fresh);
        if (known != null) {
            return known;
        }
        if (isClosed()) {
            fresh.close();
        }
        fresh.open();
        return fresh;
    }

    @Override
    public Contender contender() {
        return contender;
    }

    @Override
    public String describeStore() {
        return "store " + address();
    }

    /** The address of the store. */
    String address() {
        return Calls.address(store::address);
    }

    @Override
    public boolean isStoreInTouch(String name) {
        SessionKeeper keeper;
        try {
            keeper = keeper(name);
        } catch (LockStoreException nowhere) {
            return false;
        }
        LiveSession session = keeper.session();
        return session == null ? keeper.isFirstContact() : session.alive();
    }

    /**
     * Registers a waiter, which is told of changes of the session and of the departures of this client's tickets.
     *
     * @param name the queue in which it waits
     * @return ends the registration
     * @throws LockClientClosedException if the client is closed, so that the waiter may have missed the closing
     */
    Registration whileWaiting(String name, Waiting waiting) {
        long coming = comings.incrementAndGet();
        this.waiting.compute(name, (unused, there) -> {
            NavigableMap<Long, Waiting> line = there == null ? new ConcurrentSkipListMap<>() : there;
            line.put(coming, waiting);
            return line;
        });
        Registration registered = () -> this.waiting.computeIfPresent(name, (unused, line) -> {
            line.remove(coming);
            return line.isEmpty() ? null : line;
        });
        if (isClosed()) {
            registered.close();
            throw closedException();
        }
        return registered;
    }

    /** Tells all that use the session at one shard. */
    private final class ShardUser implements SessionKeeper.User {

        private final TicketStore shard;
        // some users have not been told of the last heartbeat yet
        private final AtomicBoolean beating = new AtomicBoolean();

        ShardUser(TicketStore shard) {
            this.shard = shard;
        }

        @Override
        public void sessionChanged() {
            tell(Gate::poke, Waiting::poke);
        }

        /** Tells some users at a time, so that the next heartbeat does not wait for thousands of them. */
        @Override
        public void beat() {
            if (beating.compareAndSet(false, true)) {
                Deque<Runnable> users = new ArrayDeque<>();
                tell(gate -> users.add(gate::beat), waiter -> users.add(waiter::beat));
                doSome(users, () -> beating.set(false));
            }
        }

        @Override
        public void refused(LockStoreException why) {
            tell(gate -> {}, waiter -> waiter.fail(why));
        }

        @Override
        public void departed(String name, Ticket ticket) {
            TicketClient.this.departed(name, ticket);
        }

        private void tell(Consumer<Gate> gates, Consumer<Waiting> waiters) {
            gates().forEach(gate -> {
                if (mayKeep(gate.name())) {
                    gates.accept(gate);
                }
            });
            waiting.forEach((name, line) -> {
                if (mayKeep(name)) {
                    line.values().forEach(waiters);
                }
            });
        }

        /**
         * Whether this shard may keep a lock. If the store does not say, it may: a user that is told in vain only looks
         * once too often.
         */
        private boolean mayKeep(String name) {
            try {
                return TicketClient.this.shard(name) == shard;
            } catch (LockStoreException nowhere) {
                return true;
            }
        }
    }

    /** Tells the waiters of a queue that a ticket has departed. */
    void departed(String name, Ticket ticket) {
        waitingFor(name).forEach(one -> one.departed(ticket));
    }

    /** Tells the waiters of a queue that this client has replaced a notice. */
    void noticeReplaced(String name, Notice old) {
        waitingFor(name).forEach(one -> one.noticeReplaced(old));
    }

    /** Has the waiters of a queue look: a ticket may have departed, and the store need not tell them of it. */
    void mayHaveDeparted(String name) {
        waitingFor(name).forEach(Waiting::poke);
    }

    private Collection<Waiting> waitingFor(String name) {
        return waiting.getOrDefault(name, Collections.emptyNavigableMap()).values();
    }

    /**
     * Puts a question to the store and waits for the answer, also if the thread is interrupted. It fails as
     * {@link #query}.
     */
    <T> T ask(String name, Function<Session, CompletionStage<T>> question) {
        return await(query(name, question));
    }

    /**
     * Puts a question to the store.
     *
     * @param name the lock whose shard is asked; empty if that does not matter
     * @return fails with {@link LockStoreException} if the store does not answer within the store timeout, and with
     *     {@link LockClientClosedException} as soon as the client is closed
     */
    <T> CompletableFuture<T> query(String name, Function<Session, CompletionStage<T>> question) {
        return within(name, session -> question.apply(session.session()));
    }

    /** Does something with a session as soon as there is one; fails as {@link #query}. */
    <T> CompletableFuture<T> within(String name, Function<LiveSession, CompletionStage<T>> use) {
        if (isClosed()) {
            return CompletableFuture.failedFuture(closedException());
        }
        SessionKeeper keeper;
        try {
            keeper = keeper(name);
        } catch (LockStoreException nowhere) {
            return CompletableFuture.failedFuture(nowhere);
        }
        CompletableFuture<LiveSession> asked = keeper.coming();
        keeper.demand();
        Throwable why = keeper.lastFailure();
        if (keeper.session() == null && why != null) {
            return CompletableFuture.failedFuture(keeper.translate(why));
        }
        CompletableFuture<T> answer = question(new CompletableFuture<>(), () -> null);
        Calls.stage(() -> asked.thenCompose(one -> {
                    // the session comes too late: a question that has failed is not begun any more
                    if (answer.isDone()) {
                        return new CompletableFuture<T>();
                    }
                    return use.apply(one);
                }))
                .whenComplete((value, failure) -> {
                    if (failure == null) {
                        answer.complete(value);
                    } else {
                        answer.completeExceptionally(keeper.translate(failure));
                    }
                });
        return answer;
    }

    /** A question that may change something by several requests. */
    interface Change<T> {

        /**
         * @param isOver whether the question has ended by now, so that nothing may be changed any more
         * @return empty if the question is to be put again
         */
        CompletionStage<Optional<T>> put(Session session, BooleanSupplier isOver);
    }

    /**
     * Puts a question to the store again and again, after pauses that grow, until there is an answer.
     *
     * @param mayRepeat whether the question may be put again after it has failed, although nobody knows whether the
     *     store has carried it out
     * @return fails as {@link #query}; the store timeout is for all of it
     */
    <T> CompletableFuture<T> insist(String name, boolean mayRepeat, Change<T> question) {
        return insist(name, mayRepeat, question, new Pauses(FIRST_PAUSE, LONGEST_PAUSE));
    }

    /** As {@link #insist(String, boolean, Change)}, with pauses that the caller chooses. */
    <T> CompletableFuture<T> insist(String name, boolean mayRepeat, Change<T> question, Pauses pauses) {
        AtomicReference<@Nullable Throwable> trouble = new AtomicReference<>();
        CompletableFuture<T> answer = question(new CompletableFuture<>(), trouble::get);
        insist(name, mayRepeat, question, answer, trouble, pauses);
        return answer;
    }

    private <T> void insist(
            String name,
            boolean mayRepeat,
            Change<T> question,
            CompletableFuture<T> answer,
            AtomicReference<@Nullable Throwable> trouble,
            Pauses pauses) {
        if (answer.isDone()) {
            return;
        }
        query(name, session -> question.put(session, answer::isDone)).whenComplete((found, failure) -> {
            if (found != null && found.isPresent()) {
                answer.complete(found.get());
            } else if (failure != null && (!mayRepeat || Calls.isRefusal(failure.getCause()))) {
                answer.completeExceptionally(failure);
            } else {
                trouble.set(failure);
                time().schedule(
                                pauses.next(time().nanoTime()),
                                () -> insist(name, mayRepeat, question, answer, trouble, pauses));
            }
        });
    }

    /** Translates a failure of the store that keeps a lock for the caller. */
    LockStoreException translate(String name, Throwable failure) {
        try {
            return keeper(name).translate(failure);
        } catch (LockStoreException nowhere) {
            return Calls.translate(address(), failure);
        }
    }

    /** Changes a notice, also if others change it meanwhile. If this fails, the change may have been made or not. */
    CompletableFuture<Boolean> change(String name, UnaryOperator<NoticeForm> how) {
        return change(name, how, () -> true);
    }

    /**
     * As the other method, but only while there is a reason for the change. The reason is checked after the notice has
     * been read, and only the notice that was read is replaced. So a notice that others post after the reason has gone
     * is never changed.
     *
     * @return false if the reason was gone, so that nothing was changed
     */
    CompletableFuture<Boolean> change(String name, UnaryOperator<NoticeForm> how, BooleanSupplier reason) {
        return insist(
                name,
                false,
                (session, isOver) -> NoticeForm.tryChange(
                                session.queue(name),
                                how,
                                () -> isOver.getAsBoolean() || !reason.getAsBoolean(),
                                old -> noticeReplaced(name, old))
                        .thenApply(done -> done || !reason.getAsBoolean() ? Optional.of(done) : Optional.empty()));
    }

    /** As {@link #change}, but waits until the change is made. */
    void repin(String name, UnaryOperator<NoticeForm> how) {
        await(change(name, how));
    }

    @Override
    void closeStore(long deadlineNanos) {
        waiting.values().forEach(line -> line.values().forEach(one -> one.fail(closedException())));
        List<CompletionStage<Void>> ends = new ArrayList<>();
        for (SessionKeeper keeper : keepers.values()) {
            LiveSession session = keeper.session();
            if (session != null) {
                awaitQuietly(session.settled(), deadlineNanos, "what was given back at closing");
            }
            ends.add(keeper.close());
        }
        ends.forEach(end -> awaitQuietly(end, deadlineNanos, "the end of the session"));
        if (ownsStore) {
            store.close();
        }
    }

    @Override
    public DistributedReadWriteLock readWriteLock(String name) {
        return readWriteLock(name, options().lockDefaults());
    }

    @Override
    public DistributedReadWriteLock readWriteLock(String name, LockOptions lockOptions) {
        checkUse(name, lockOptions);
        return new NamedReadWriteLock(name, lockOptions, this);
    }

    @Override
    public DistributedSemaphore semaphore(String name, int permits) {
        return semaphore(name, permits, options().lockDefaults());
    }

    @Override
    public DistributedSemaphore semaphore(String name, int permits, LockOptions lockOptions) {
        checkUse(name, lockOptions);
        if (permits < 1) {
            throw new IllegalArgumentException("semaphore '" + name + "' with " + permits + " permits; at least 1");
        }
        checkForPermits(name, lockOptions);
        return new NamedSemaphore(name, permits, lockOptions, this);
    }

    /**
     * Refuses options that permits do not have, because permits belong to no thread and are not handed over. An option
     * that has only the client's default for locks is not refused.
     */
    private void checkForPermits(String name, LockOptions wanted) {
        LockOptions usual = options().lockDefaults();
        LockOptions plain = LockOptions.defaults();
        refuse(name, "handOvers", wanted.handOvers(), usual.handOvers(), plain.handOvers());
        refuse(name, "handOverTime", wanted.handOverTime(), usual.handOverTime(), plain.handOverTime());
        refuse(name, "reentrant", wanted.reentrant(), usual.reentrant(), plain.reentrant());
        refuse(name, "retain", wanted.retain(), usual.retain(), plain.retain());
        refuse(name, "interruptOnLoss", wanted.interruptOnLoss(), usual.interruptOnLoss(), plain.interruptOnLoss());
    }

    private static void refuse(String name, String option, Object wanted, Object usual, Object plain) {
        if (!wanted.equals(usual) && !wanted.equals(plain)) {
            throw new IllegalArgumentException("semaphore '" + name + "' with " + option + " " + wanted
                    + ": permits have no such option, only awaitRelease, reason and labels");
        }
    }

    @Override
    public DistributedMultiLock all(String... names) {
        return all(Arrays.stream(names).map(this::lock).toList());
    }

    @Override
    public DistributedMultiLock all(List<? extends DistributedLock> locks) {
        return MultiLock.of(locks, this);
    }

    @Override
    DistributedCondition condition(NamedLock lock, String name) {
        return new QueueCondition(lock, name, this);
    }

    @Override
    public DistributedLatch latch(String name) {
        checkUse(name, options().lockDefaults());
        return new NamedLatch(name, this);
    }

    @Override
    public DistributedBarrier barrier(String name, int parties) {
        checkUse(name, options().lockDefaults());
        if (parties < 1) {
            throw new IllegalArgumentException("barrier '" + name + "' for " + parties + " parties; at least 1");
        }
        return new NamedBarrier(name, parties, this);
    }

    @Override
    public LeaderElection election(String name, LeaderElection.Listener listener) {
        checkUse(name, options().lockDefaults());
        return new NamedElection(name, Objects.requireNonNull(listener, "listener"), this);
    }

    /**
     * The session to use for a lock; null while there is none, and then one is being opened.
     *
     * @throws LockStoreException if the store does not say which of its parts keeps the lock
     */
    @Nullable
    LiveSession session(String name) {
        SessionKeeper keeper = keeper(name);
        LiveSession session = keeper.session();
        if (session == null) {
            keeper.demand();
        }
        return session;
    }

    /** The countdowns of latches, by the names of their queues. */
    JointQuestions<NamedLatch.Outcome> countDowns() {
        return countDowns;
    }

    @Override
    public LockAdmin admin() {
        return admin;
    }

    @Override
    public Duration sessionRemaining() {
        long now = time().nanoTime();
        long shortest = Long.MAX_VALUE;
        for (SessionKeeper keeper : keepers.values()) {
            LiveSession session = keeper.session();
            shortest = Math.min(shortest, session == null || !session.alive() ? 0 : session.deadlineNanos() - now);
        }
        return isClosed() ? Duration.ZERO : Duration.ofNanos(Math.max(0, shortest));
    }

    @Override
    public String toString() {
        return describe(LockClient.class);
    }
}
