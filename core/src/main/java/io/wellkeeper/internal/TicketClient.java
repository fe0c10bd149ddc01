package io.wellkeeper.internal;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockStatus;
import io.wellkeeper.LockStoreException;
import io.wellkeeper.Participant;
import io.wellkeeper.Registration;
import io.wellkeeper.spi.LockNames;
import io.wellkeeper.spi.Session;
import io.wellkeeper.spi.SessionOptions;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketInfo;
import io.wellkeeper.spi.TicketStore;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

/** Locks made of tickets. */
final class TicketClient extends AbstractClient implements LockClient, SessionKeeper.User {

    private static final AdmissionRule MUTEX = AdmissionRule.permits(1);

    private final TicketStore store;
    private final boolean ownsStore;
    private final SessionKeeper keeper;
    private final Contender contender;
    private final ConcurrentMap<String, Set<Waiting>> waiting = new ConcurrentHashMap<>();

    TicketClient(TicketStore store, boolean ownsStore, ClientOptions options) {
        super(options);
        this.store = store;
        this.ownsStore = ownsStore;
        this.keeper = new SessionKeeper(
                store, new SessionOptions(clientName(), options.sessionTimeout()), time(), events(), this);
        this.contender = (name, mayWait, metadata, listener) ->
                new AcquireLoop(name, MUTEX, mayWait, metadata, keeper, time(), listener);
    }

    /** Opens the first session; closes everything again if that fails. A clock of the user's own is not waited for. */
    TicketClient connect() {
        keeper.open();
        if (options().time().isPresent()) {
            return this;
        }
        try {
            keeper.first().get(storeTimeout().toNanos(), TimeUnit.NANOSECONDS);
            return this;
        } catch (TimeoutException | ExecutionException unreachable) {
            Throwable why = keeper.lastFailure();
            close();
            throw why == null
                    ? new LockStoreException(describeStore() + " did not answer within " + storeTimeout())
                    : keeper.translate(why);
        } catch (InterruptedException interrupted) {
            close();
            Thread.currentThread().interrupt();
            throw new LockStoreException("interrupted while connecting to " + describeStore(), interrupted);
        }
    }

    @Override
    public Contender contender() {
        return contender;
    }

    @Override
    public String describeStore() {
        return "store " + store.address();
    }

    @Override
    public boolean isStoreInTouch() {
        LiveSession session = keeper.session();
        return session != null && session.alive();
    }

    /**
     * Tells something that waits how the session fares, and which tickets of this client's own depart.
     *
     * @param name the queue it waits in
     * @return to be told no more
     */
    Registration whileWaiting(String name, Waiting waiting) {
        this.waiting.compute(name, (unused, there) -> {
            Set<Waiting> set = there == null ? ConcurrentHashMap.newKeySet() : there;
            set.add(waiting);
            return set;
        });
        return () -> this.waiting.computeIfPresent(name, (unused, set) -> {
            set.remove(waiting);
            return set.isEmpty() ? null : set;
        });
    }

    @Override
    public void sessionChanged() {
        gates().forEach(Gate::poke);
        waiting.values().forEach(set -> set.forEach(Waiting::poke));
    }

    @Override
    public void beat() {
        gates().forEach(Gate::beat);
        waiting.values().forEach(set -> set.forEach(Waiting::beat));
    }

    @Override
    public void departed(String name, Ticket ticket) {
        Gate gate = gateInUse(name);
        if (gate != null) {
            gate.departed(ticket);
        }
        waiting.getOrDefault(name, Set.of()).forEach(one -> one.departed(ticket));
    }

    @Override
    public LockStatus inspect(String name) {
        LockNames.check(name);
        List<TicketInfo> infos = ask(session -> session.queue(name).inspect());
        Instant now = Instant.now();
        List<Participant> holders = new ArrayList<>();
        List<Participant> waiters = new ArrayList<>();
        List<Ticket> ahead = new ArrayList<>();
        for (TicketInfo info : infos) {
            boolean in = MUTEX.blockers(info.ticket(), ahead).isEmpty();
            (in ? holders : waiters).add(Metadata.read(info, now));
            ahead.add(info.ticket());
        }
        return new LockStatus(name, holders, waiters);
    }

    @Override
    public List<String> names(String prefix) {
        List<String> names = new ArrayList<>(ask(session -> session.names(prefix)));
        names.sort(null);
        return List.copyOf(names);
    }

    /** Puts a question to the store and waits for the answer, at most the store timeout. */
    private <T> T ask(Function<Session, CompletionStage<T>> question) {
        if (isClosed()) {
            throw closedException();
        }
        LiveSession session = keeper.session();
        if (session == null) {
            Throwable why = keeper.lastFailure();
            throw why == null
                    ? new LockStoreException(describeStore() + " has ended the session, and gives no other yet")
                    : keeper.translate(why);
        }
        try {
            return question.apply(session.session())
                    .toCompletableFuture()
                    .get(storeTimeout().toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException failed) {
            throw keeper.translate(cause(failed));
        } catch (TimeoutException silent) {
            throw new LockStoreException(describeStore() + " did not answer within " + storeTimeout(), silent);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new LockStoreException("interrupted while asking " + describeStore(), interrupted);
        }
    }

    private static Throwable cause(ExecutionException failed) {
        Throwable cause = failed.getCause();
        return cause == null ? failed : cause;
    }

    @Override
    void closeStore(long deadlineNanos) {
        LiveSession session = keeper.session();
        if (session != null) {
            awaitQuietly(session.settled(), deadlineNanos, "what was given back at closing");
        }
        awaitQuietly(keeper.close(), deadlineNanos, "the end of the session");
        if (ownsStore) {
            store.close();
        }
    }

    @Override
    public io.wellkeeper.DistributedReadWriteLock readWriteLock(String name) {
        throw new UnsupportedOperationException();
    }

    @Override
    public io.wellkeeper.DistributedReadWriteLock readWriteLock(String name, io.wellkeeper.LockOptions options) {
        throw new UnsupportedOperationException();
    }

    @Override
    public io.wellkeeper.DistributedSemaphore semaphore(String name, int permits) {
        throw new UnsupportedOperationException();
    }

    @Override
    public io.wellkeeper.DistributedSemaphore semaphore(String name, int permits, io.wellkeeper.LockOptions options) {
        throw new UnsupportedOperationException();
    }

    @Override
    public io.wellkeeper.DistributedMultiLock all(String... names) {
        throw new UnsupportedOperationException();
    }

    @Override
    public io.wellkeeper.DistributedMultiLock all(List<? extends io.wellkeeper.DistributedLock> locks) {
        throw new UnsupportedOperationException();
    }

    @Override
    public io.wellkeeper.DistributedLatch latch(String name) {
        throw new UnsupportedOperationException();
    }

    @Override
    public io.wellkeeper.DistributedBarrier barrier(String name, int parties) {
        throw new UnsupportedOperationException();
    }

    @Override
    public io.wellkeeper.LeaderElection election(String name, io.wellkeeper.LeaderElection.Listener listener) {
        throw new UnsupportedOperationException();
    }

    @Override
    public int requestRevocation(String name, String reason) {
        throw new UnsupportedOperationException();
    }

    @Override
    public List<Participant> breakLock(String name, String reason) {
        throw new UnsupportedOperationException();
    }

    @Override
    public List<io.wellkeeper.Deadlock> deadlocks() {
        throw new UnsupportedOperationException();
    }
}
