package io.wellkeeper.redis;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.wellkeeper.LockStoreException;
import io.wellkeeper.Registration;
import io.wellkeeper.spi.Time;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One connection, for as long as it lasts. Requests go out in the order in which they are made. When the connection
 * breaks, the requests without an answer fail, and may have been carried out or not. It is closed if no request is
 * answered for too long.
 *
 * <p>No more requests are under way than the {@link Window} allows; the others wait for their turn, those that give a
 * lock back before those that ask for one. A renewal does not wait for its turn.
 */
final class LeaseLink {

    /** After how long without an answer the connection is given up for another one. */
    static final Duration PATIENCE = Duration.ofSeconds(2);

    private static final Duration FAREWELL = Duration.ofSeconds(1);
    /** An answer that takes longer is slow, if the caller does not give up before. */
    static final Duration SLOW = PATIENCE.dividedBy(8);

    private static final int NARROWEST = 16; // so many requests may be under way however slow the server is

    /** The server has not carried the request out, because another server is in charge, or it cannot do so now. */
    static final class NotInCharge extends LockStoreException {

        private static final long serialVersionUID = 1L;

        NotInCharge(String message) {
            super(message);
        }
    }

    /** The server does not know the script, so it has not carried the request out; the next one is sent at length. */
    static final class NotKnown extends LockStoreException {

        private static final long serialVersionUID = 1L;

        NotKnown(String message) {
            super(message);
        }
    }

    private final String address;
    private final StatefulRedisPubSubConnection<String, String> connection;
    private final Executor executor;
    private final Outbox outbox;
    private final Set<CompletableFuture<?>> open = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean ended = new AtomicBoolean();
    private final AtomicBoolean forgotten = new AtomicBoolean(); // a script that is not sent again was not known
    private final ReentrantLock lock = new ReentrantLock(); // guards the fields below; requests are sent under it
    // The requests that wait for their turn and give a lock back; they go before the others.
    private final Deque<Runnable> givingBack = new ArrayDeque<>();
    private final Deque<Runnable> waiting = new ArrayDeque<>(); // the other requests that wait for their turn
    private final Window window;
    private long heardAt; // when a request was answered last, or was sent while no other was under way

    /**
     * @param slow after an answer that takes longer, fewer requests may be under way
     * @param messages given the channel and the text of each message, on the connection's thread
     */
    LeaseLink(
            String address,
            StatefulRedisPubSubConnection<String, String> connection,
            Duration slow,
            List<LeaseScript> scripts,
            BiConsumer<String, String> messages) {
        this.address = address;
        this.connection = connection;
        this.window = new Window(NARROWEST, slow);
        this.executor = connection.getResources().eventExecutorGroup().next();
        this.outbox = new Outbox(executor);
        connection.addListener(new RedisPubSubAdapter<>() {
            @Override
            public void message(String channel, String message) {
                messages.accept(channel, message);
            }

            @Override
            public void smessage(String channel, String message) {
                messages.accept(channel, message);
            }
        });
        connection.addListener(new RedisConnectionStateListener() {
            @Override
            public void onRedisDisconnected(RedisChannelHandler<?, ?> which) {
                executor.execute(LeaseLink.this::end);
            }
        });
        outbox.send(() -> scripts.forEach(script -> connection.async().scriptLoad(script.text())));
    }

    /** Whether the connection can no longer be used. */
    boolean ended() {
        return ended.get() || !connection.isOpen();
    }

    /**
     * Has a script carried out: once, or once at most if this fails.
     *
     * @return its answer; fails with {@link LockStoreException}
     */
    CompletableFuture<List<Object>> run(LeaseScript script, List<String> keys, List<String> arguments) {
        return run(script, keys, arguments, () -> {});
    }

    /**
     * As {@link #run(LeaseScript, List, List)}.
     *
     * @param sent run when the request is sent, if its turn comes; must not block
     */
    CompletableFuture<List<Object>> run(LeaseScript script, List<String> keys, List<String> arguments, Runnable sent) {
        return request(script.overtakes(), script.givesBack() ? givingBack : waiting, sent, result -> {
            if (!script.isSentAgain() && forgotten.getAndSet(false)) {
                dispatchAtLength(result, script, keys, arguments);
            } else {
                dispatch(result, CommandType.EVALSHA, script.digest(), keys, arguments, failure -> {
                    if (!(failure instanceof RedisNoScriptException)) {
                        fail(result, failure);
                    } else if (script.isSentAgain()) {
                        outbox.send(() -> dispatchAtLength(result, script, keys, arguments));
                    } else {
                        forgotten.set(true);
                        result.completeExceptionally(
                                new NotKnown("Redis at " + address + " answers " + failure.getMessage()));
                    }
                });
            }
        });
    }

    /** Whether requests are under way, and none has been answered for so long. */
    boolean isSilent(Duration atLeast) {
        return silence().compareTo(atLeast) >= 0;
    }

    /** For how long no request has been answered, although some are under way; zero if none is. */
    private Duration silence() {
        lock.lock();
        try {
            return window.isEmpty() ? Duration.ZERO : Duration.ofNanos(System.nanoTime() - heardAt);
        } finally {
            lock.unlock();
        }
    }

    /** Asks the server about itself. */
    CompletableFuture<String> info(String section) {
        return request(
                true,
                waiting,
                () -> {},
                result -> connection.async().info(section).whenComplete((answer, failure) -> {
                    if (failure == null) {
                        result.complete(answer);
                    } else {
                        executor.execute(() -> fail(result, failure));
                    }
                }));
    }

    /**
     * Listens to a channel.
     *
     * @param sharded whether the channel belongs to a slot of a Cluster
     */
    void subscribe(String channel, boolean sharded) {
        outbox.send(() -> {
            if (sharded) {
                connection.async().ssubscribe(channel);
            } else {
                connection.async().subscribe(channel);
            }
        });
    }

    /** Ends {@link #subscribe}. */
    void unsubscribe(String channel, boolean sharded) {
        outbox.send(() -> {
            if (sharded) {
                connection.async().sunsubscribe(channel);
            } else {
                connection.async().unsubscribe(channel);
            }
        });
    }

    private <T> CompletableFuture<T> request(
            boolean overtakes, Deque<Runnable> line, Runnable sent, Consumer<CompletableFuture<T>> write) {
        CompletableFuture<T> result = new CompletableFuture<>();
        open.add(result);
        result.whenComplete((answer, failure) -> open.remove(result));
        if (ended()) {
            result.completeExceptionally(lost());
            return result;
        }
        lock.lock();
        try {
            if (overtakes || window.hasRoom()) {
                send(result, sent, write);
            } else {
                line.add(() -> send(result, sent, write));
            }
        } finally {
            lock.unlock();
        }
        if (ended.get()) {
            end(); // the connection may have ended before this request was added to the open ones
        }
        return result;
    }

    /** The lock is held. */
    private <T> void send(CompletableFuture<T> result, Runnable sent, Consumer<CompletableFuture<T>> write) {
        heardAt = window.isEmpty() ? System.nanoTime() : heardAt;
        window.sent();
        sent.run();
        outbox.send(() -> write.accept(result));
        endIfSilent(result, PATIENCE);
        long sentAt = System.nanoTime();
        result.whenComplete((answer, failure) -> proceed(sentAt));
    }

    /**
     * Ends a silent connection. If other requests are answered meanwhile, the server is slow, and another connection no
     * faster.
     */
    private void endIfSilent(CompletableFuture<?> request, Duration after) {
        Registration alarm = Time.later(after, () -> {
            Duration left = PATIENCE.minus(silence());
            if (left.isNegative() || left.isZero()) {
                end();
            } else {
                endIfSilent(request, left);
            }
        });
        request.whenComplete((answer, failure) -> alarm.close());
    }

    private void proceed(long sentAt) {
        lock.lock();
        try {
            heardAt = System.nanoTime();
            window.answered(heardAt - sentAt);
            for (Runnable next = next(); next != null; next = next()) {
                next.run();
            }
        } finally {
            lock.unlock();
        }
    }

    /** The request whose turn it is; null if none waits or there is no room for another. The lock is held. */
    private @Nullable Runnable next() {
        if (!window.hasRoom() || ended.get()) {
            return null;
        }
        return givingBack.isEmpty() ? waiting.poll() : givingBack.poll();
    }

    private void dispatchAtLength(
            CompletableFuture<List<Object>> result, LeaseScript script, List<String> keys, List<String> arguments) {
        dispatch(result, CommandType.EVAL, script.text(), keys, arguments, failure -> fail(result, failure));
    }

    /** The answer is heard by the connection's thread, in its place among answers and messages. */
    private void dispatch(
            CompletableFuture<List<Object>> result,
            CommandType how,
            String script,
            List<String> keys,
            List<String> arguments,
            Consumer<Throwable> failed) {
        AsyncCommand<String, String, List<Object>> command = Wire.call(how, script, keys, arguments);
        command.whenComplete((answer, failure) -> {
            if (failure == null) {
                result.complete(answer);
            } else {
                executor.execute(() -> failed.accept(failure)); // the failure may come while a request is being sent
            }
        });
        connection.dispatch(command);
    }

    private void fail(CompletableFuture<?> result, Throwable failure) {
        if (!(Stages.unwrap(failure) instanceof RedisCommandExecutionException refusal)) {
            result.completeExceptionally(lost());
            return;
        }
        String message = "Redis at " + address + " answers " + refusal.getMessage();
        result.completeExceptionally(
                Topology.isForAnother(refusal) ? new NotInCharge(message) : Refusals.of(message, refusal));
    }

    private LockStoreException lost() {
        return new LockStoreException("the connection to Redis at " + address + " was lost");
    }

    /** Closes the connection when all requests have been answered, or after a while. */
    CompletableFuture<Void> finish() {
        return Time.limit(CompletableFuture.allOf(open.toArray(CompletableFuture<?>[]::new)), FAREWELL)
                .handle((answered, late) -> true)
                .thenAccept(over -> end());
    }

    /** Closes the connection; the requests that have not been answered fail. */
    void end() {
        if (ended.compareAndSet(false, true)) {
            connection.closeAsync();
        }
        open.forEach(request -> request.completeExceptionally(lost()));
    }
}
