package io.wellkeeper.internal;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.DistributedCondition;
import io.wellkeeper.DistributedLock;
import io.wellkeeper.LockClientClosedException;
import io.wellkeeper.LockOptions;
import io.wellkeeper.LockSource;
import io.wellkeeper.LockStoreException;
import io.wellkeeper.spi.LockNames;
import io.wellkeeper.spi.Time;
import java.time.Duration;
import java.util.Deque;
import java.util.Objects;
import java.util.Set;
import java.util.StringJoiner;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The locks of one client, whatever the store. */
abstract class AbstractClient implements LockSource, Gate.Home {

    private static final Logger LOG = LoggerFactory.getLogger("io.wellkeeper");

    private static final int DONE_AT_ONCE = 100;

    private final ClientOptions options;
    private final String clientName;
    private final Metadata metadata;
    private final @Nullable SystemTime ownTime;
    private final Time time;
    private final Events events;
    private final ConcurrentMap<String, Gate> gates = new ConcurrentHashMap<>();
    private final Set<CompletableFuture<?>> questions = ConcurrentHashMap.newKeySet(); // that are not answered yet
    private final AtomicBoolean closed = new AtomicBoolean();

    AbstractClient(ClientOptions options) {
        this.options = options;
        this.clientName = options.clientName().isEmpty() ? Metadata.defaultClientName() : options.clientName();
        this.metadata = new Metadata(clientName);
        this.ownTime = options.time().isPresent() ? null : new SystemTime(clientName);
        this.time = ownTime != null ? ownTime : options.time().orElseThrow();
        this.events = new Events(clientName, options.listener(), options.callbackExecutor());
    }

    /**
     * Waits until the tickets or leases are given back, ends the sessions, and closes the store if the client owns it.
     */
    abstract void closeStore(long deadlineNanos);

    String clientName() {
        return clientName;
    }

    /** The text of an object of this client for messages and logs. */
    String describe(Class<?> kind, Object... parts) {
        StringJoiner text = new StringJoiner(", ", kind.getSimpleName() + "[", ", client " + clientName + "]");
        for (Object part : parts) {
            text.add(part.toString());
        }
        return text.toString();
    }

    String describe(Class<? extends LockSource> kind) {
        return kind.getSimpleName() + "[" + clientName + ", " + describeStore()
                + (isClosed() ? ", closed]" : ", open]");
    }

    /** The gate of a name, which may be retired by the time it is used. */
    Gate gate(String name, Side side, LockOptions lockOptions) {
        Gate gate = gates.get(name);
        return gate != null ? gate : gates.computeIfAbsent(name, key -> new Gate(key, side, lockOptions, this));
    }

    @Nullable
    Gate gateInUse(String name) {
        return gates.get(name);
    }

    Iterable<Gate> gates() {
        return gates.values();
    }

    @Override
    public DistributedLock lock(String name) {
        return lock(name, options.lockDefaults());
    }

    /**
     * Runs these actions one after the other, only some of them at a time and the rest by the timer, so that other work
     * that is due does not wait for thousands of them.
     *
     * @param over run when all have been run
     */
    void doSome(Deque<Runnable> things, Runnable over) {
        try {
            for (int i = 0; i < DONE_AT_ONCE && !things.isEmpty(); i++) {
                things.remove().run();
            }
        } finally {
            if (things.isEmpty()) {
                over.run();
            } else {
                time.schedule(Duration.ZERO, () -> doSome(things, over));
            }
        }
    }

    /** The condition of a lock. */
    abstract DistributedCondition condition(NamedLock lock, String name);

    void checkUse(String name, LockOptions lockOptions) {
        LockNames.checkChosen(name);
        Objects.requireNonNull(lockOptions, "options");
        if (closed.get()) {
            throw closedException();
        }
    }

    @Override
    public DistributedLock lock(String name, LockOptions lockOptions) {
        checkUse(name, lockOptions);
        return new NamedLock(name, Side.LOCK, lockOptions, this);
    }

    @Override
    public ClientOptions options() {
        return options;
    }

    @Override
    public Time time() {
        return time;
    }

    @Override
    public Events events() {
        return events;
    }

    @Override
    public Duration storeTimeout() {
        return options.storeTimeout();
    }

    @Override
    public Metadata metadata() {
        return metadata;
    }

    @Override
    public boolean isClosed() {
        return closed.get();
    }

    @Override
    public LockClientClosedException closedException() {
        return new LockClientClosedException("client '" + clientName + "' is closed");
    }

    @Override
    public void retire(String name, Gate gate) {
        gates.remove(name, gate);
    }

    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        long deadline = System.nanoTime() + options.closeTimeout().toNanos();
        try {
            gates.values().forEach(Gate::close);
            questions.forEach(question -> question.completeExceptionally(closedException()));
            closeStore(deadline);
        } finally {
            if (ownTime != null) {
                ownTime.close();
            }
            events.close();
        }
    }

    /**
     * Fails an answer to come when the store timeout has passed, or the client is closed.
     *
     * @param trouble says what the trouble was, if that is known
     */
    <T> CompletableFuture<T> question(CompletableFuture<T> answer, Supplier<@Nullable Throwable> trouble) {
        return Futures.limited(untilClosed(answer), storeTimeout().toNanos(), time, () -> {
            Throwable why = trouble.get();
            answer.completeExceptionally(
                    why == null
                            ? silent()
                            : new LockStoreException(
                                    describeStore() + " was asked again and again for " + storeTimeout() + ": "
                                            + why.getMessage(),
                                    why));
        });
    }

    /** Has an answer to come fail when the client is closed. */
    private <T> CompletableFuture<T> untilClosed(CompletableFuture<T> answer) {
        questions.add(answer);
        answer.whenComplete((value, failure) -> questions.remove(answer));
        if (isClosed()) {
            answer.completeExceptionally(closedException()); // close() may have missed it
        }
        return answer;
    }

    /** Lets some time pass, also if the thread is interrupted; fails as soon as the client is closed. */
    void pause(Duration length) {
        CompletableFuture<Boolean> over = untilClosed(new CompletableFuture<>());
        await(Futures.limited(over, length.toNanos(), time, () -> over.complete(true)));
    }

    /** The store has not answered in time. */
    LockStoreException silent() {
        return new LockStoreException(describeStore() + " did not answer within " + storeTimeout());
    }

    /** Waits for the answer to a question, also if the thread is interrupted. */
    <T> T await(CompletableFuture<T> answer) {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return time.await(answer);
                } catch (InterruptedException remembered) {
                    interrupted = true;
                } catch (ExecutionException failed) {
                    throw isClosed() ? closedException() : Calls.own(failed);
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Waits until a deadline; a failure or a missing answer is only logged. */
    static void awaitQuietly(CompletionStage<?> stage, long deadlineNanos, String what) {
        CompletableFuture<?> future = stage.toCompletableFuture();
        boolean interrupted = false;
        while (true) {
            try {
                future.get(deadlineNanos - System.nanoTime(), TimeUnit.NANOSECONDS);
                break;
            } catch (InterruptedException remembered) {
                interrupted = true;
            } catch (ExecutionException | CancellationException | TimeoutException unfinished) {
                LOG.warn("{} was not acknowledged: {}", what, unfinished.toString());
                break;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
