package io.wellkeeper.redis;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.NestedMultiOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.DefaultEndpoint;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.pubsub.api.async.RedisPubSubAsyncCommands;
import io.wellkeeper.LockStoreException;
import io.wellkeeper.spi.SessionListener;
import io.wellkeeper.spi.SessionLostException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The one connection of a session, for its requests and for the messages to it. So a message that a script publishes
 * arrives between the replies to what was carried out before it and after it.
 *
 * <p>When the connection is lost Lettuce makes another, listens to the channel again, and then sends again, in order, what
 * has not been answered. Whatever was published meanwhile is lost, which is said by {@code reconnected}.
 *
 * <pre>
 *   LIVE --connection lost--> SUSPECT --listening again--> LIVE
 *     +--- a script says that the session has ended ---> LOST        CLOSED by its owner
 * </pre>
 */
final class Link {

    private enum State {
        LIVE,
        SUSPECT,
        LOST,
        CLOSED
    }

    private final String address;
    private final StatefulRedisPubSubConnection<String, String> connection;
    private final RedisPubSubAsyncCommands<String, String> commands;
    private final SessionListener listener;
    private final Executor executor;
    private final Outbox outbox;
    private final AtomicReference<State> state = new AtomicReference<>(State.LIVE);

    Link(String address, StatefulRedisPubSubConnection<String, String> connection, SessionListener listener) {
        this.address = address;
        this.connection = connection;
        this.commands = connection.async();
        this.listener = listener;
        this.executor = connection.getResources().eventExecutorGroup().next();
        this.outbox = new Outbox(executor);
    }

    /**
     * Listens to a channel. To be called once, before anything else.
     *
     * @param messages given each message, in order, on the connection's thread
     * @param reconnected run when it listens again after the connection was lost
     * @return when it listens
     */
    CompletionStage<Void> listen(String channel, Consumer<String> messages, Runnable reconnected) {
        CompletableFuture<Void> first = new CompletableFuture<>();
        connection.addListener(new RedisPubSubAdapter<>() {
            @Override
            public void message(String from, String message) {
                messages.accept(message);
            }

            @Override
            public void subscribed(String to, long count) {
                if (!first.complete(null)) {
                    loadScripts();
                    reconnected.run();
                    recovered();
                }
            }
        });
        connection.addListener(new RedisConnectionStateListener() {
            @Override
            public void onRedisDisconnected(RedisChannelHandler<?, ?> which) {
                suspect("the connection to " + address + " was lost");
            }
        });
        loadScripts();
        commands.subscribe(channel).whenComplete((done, failure) -> {
            if (failure != null) {
                first.completeExceptionally(failure(failure));
            }
        });
        return first;
    }

    /** So that none has to be sent at length later; whether it is allowed does not matter. */
    private void loadScripts() {
        for (Script script : Script.values()) {
            commands.scriptLoad(script.text());
        }
    }

    /**
     * Has a script carried out, once or more often.
     *
     * @return its answer; fails with {@link SessionLostException} or {@link LockStoreException}
     */
    CompletableFuture<List<Object>> run(Script script, List<String> keys, List<String> arguments) {
        return ended() ? refused() : send(script, keys, arguments);
    }

    /** The answer of a session that has ended. */
    CompletableFuture<List<Object>> refused() {
        return CompletableFuture.failedFuture(ended(state.get()));
    }

    /** As {@link #run}, also after the end. */
    CompletableFuture<List<Object>> send(Script script, List<String> keys, List<String> arguments) {
        return send(script, keys, () -> arguments);
    }

    /**
     * As {@link #run}, also after the end.
     *
     * @param arguments asked for in the order in which requests are sent
     */
    CompletableFuture<List<Object>> send(Script script, List<String> keys, Supplier<List<String>> arguments) {
        CompletableFuture<List<Object>> result = new CompletableFuture<>();
        outbox.send(() -> {
            List<String> all = arguments.get();
            dispatch(CommandType.EVALSHA, script.digest(), keys, all, (answer, failure) -> {
                if (failure instanceof RedisNoScriptException) {
                    outbox.send(() -> dispatch(
                            CommandType.EVAL,
                            script.text(),
                            keys,
                            all,
                            (second, again) -> complete(result, second, again)));
                } else {
                    complete(result, answer, failure);
                }
            });
        });
        return result;
    }

    /** The answer is heard by the connection's thread, in its place among answers and messages. */
    private void dispatch(
            CommandType how,
            String script,
            List<String> keys,
            List<String> arguments,
            BiConsumer<@Nullable List<Object>, @Nullable Throwable> then) {
        CommandArgs<String, String> words = new CommandArgs<>(StringCodec.UTF8)
                .add(script)
                .add(keys.size())
                .addKeys(keys)
                .addValues(arguments);
        AsyncCommand<String, String, List<Object>> command =
                new AsyncCommand<>(new Command<>(how, new NestedMultiOutput<>(StringCodec.UTF8), words));
        command.whenComplete((answer, failure) -> {
            if (failure == null) {
                then.accept(answer, null);
            } else {
                executor.execute(() -> then.accept(null, failure)); // it may come in the midst of sending
            }
        });
        connection.dispatch(command);
    }

    private void complete(
            CompletableFuture<List<Object>> result, @Nullable List<Object> answer, @Nullable Throwable failure) {
        if (answer != null) {
            result.complete(answer);
        } else {
            result.completeExceptionally(failure(failure));
        }
    }

    private LockStoreException failure(@Nullable Throwable failure) {
        State now = state.get();
        if (now == State.LOST || now == State.CLOSED) {
            return ended(now);
        }
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        String what = cause instanceof RedisCommandExecutionException
                ? "the server answers " + cause.getMessage()
                : "the request failed: " + (cause == null ? "no answer" : cause.toString());
        return new LockStoreException("Redis at " + address + ": " + what);
    }

    private LockStoreException ended(State how) {
        return how == State.LOST
                ? new SessionLostException("the session at " + address + " has ended")
                : new LockStoreException("the session at " + address + " was closed");
    }

    /** Makes another connection, because this one does not answer. */
    void breakConnection() {
        if (((RedisChannelHandler<?, ?>) connection).getChannelWriter() instanceof DefaultEndpoint endpoint) {
            endpoint.disconnect();
        }
    }

    private void suspect(String problem) {
        if (state.compareAndSet(State.LIVE, State.SUSPECT)) {
            listener.suspect(problem);
        }
    }

    private void recovered() {
        if (state.compareAndSet(State.SUSPECT, State.LIVE)) {
            listener.live();
        }
    }

    /**
     * The server says that the session has ended.
     *
     * @param first what is to be done before the listener is told
     */
    void lost(Runnable first) {
        State before = state.getAndUpdate(now -> now == State.CLOSED ? now : State.LOST);
        if (before == State.LIVE || before == State.SUSPECT) {
            first.run();
            listener.lost();
        }
    }

    boolean ended() {
        State now = state.get();
        return now == State.LOST || now == State.CLOSED;
    }

    /**
     * The listener hears nothing more, and no more requests are taken; those under way go on.
     *
     * @return whether the session has been lost
     */
    boolean end() {
        return state.updateAndGet(now -> now == State.LOST ? now : State.CLOSED) == State.LOST;
    }

    CompletionStage<Void> disconnect() {
        end();
        return connection.closeAsync();
    }
}
