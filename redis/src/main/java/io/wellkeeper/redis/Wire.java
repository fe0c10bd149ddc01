package io.wellkeeper.redis;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.NestedMultiOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.pubsub.api.async.RedisPubSubAsyncCommands;
import io.netty.buffer.ByteBuf;
import io.wellkeeper.LockStoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One connection to one server, for the requests of some sessions and for the messages to them. So a message that a
 * script publishes arrives between the replies to the requests that were carried out before it and after it. Requests
 * go out in the order in which they are sent. A broken connection is not made again: its users are told, and make
 * another.
 */
final class Wire {

    /** A session that listens. Called on the connection's thread, or on the thread that closes it. */
    interface User {

        /** Something was published on the channel. */
        void message(Wire by, String text);

        /** From now on, no message that is published on the channel is missed. */
        void listening();

        /**
         * No answer or message will come any more. Requests that were not answered may have been carried out or not.
         */
        void broken(Wire wire);

        /** The server refuses to let the session listen: another server is in charge, or listening is not allowed. */
        void refused(Wire wire, Throwable why);
    }

    private final String address;
    private final StatefulRedisPubSubConnection<String, String> connection;
    private final RedisPubSubAsyncCommands<String, String> commands;
    private final Executor executor;
    private final Outbox outbox;
    private final Map<String, User> users = new ConcurrentHashMap<>(); // by channel
    private final AtomicBoolean broken = new AtomicBoolean();
    private final CompletableFuture<Void> closed = new CompletableFuture<>();

    /**
     * @param address of the server, for messages
     * @param connection one that does not reconnect when it is lost
     */
    Wire(String address, StatefulRedisPubSubConnection<String, String> connection) {
        this.address = address;
        this.connection = connection;
        this.commands = connection.async();
        this.executor = connection.getResources().eventExecutorGroup().next();
        this.outbox = new Outbox(executor);
        connection.addListener(new Listener());
        connection.addListener(new RedisConnectionStateListener() {
            @Override
            public void onRedisDisconnected(RedisChannelHandler<?, ?> which) {
                breakOff();
            }
        });
        loadScripts();
    }

    /**
     * Loads the scripts, so that none has to be sent with its text later. If the server refuses that, nothing is lost.
     */
    private void loadScripts() {
        Stream.of(Script.values()).map(Script::text).distinct().forEach(commands::scriptLoad);
    }

    /** For requests other than scripts; they are in no particular order with the scripts. */
    RedisAsyncCommands<String, String> commands() {
        return commands;
    }

    String address() {
        return address;
    }

    boolean isBroken() {
        return broken.get();
    }

    /** Listens to a channel; a channel with a hash tag is one of a Cluster's slots. */
    void listen(String channel, User user) {
        users.put(channel, user);
        outbox.send(() -> {
            CompletionStage<Void> asked =
                    Keys.isSharded(channel) ? commands.ssubscribe(channel) : commands.subscribe(channel);
            asked.whenComplete((done, failure) -> {
                if (failure instanceof RedisCommandExecutionException && users.remove(channel, user)) {
                    executor.execute(() -> user.refused(this, failure));
                }
            });
        });
        if (broken.get() && users.remove(channel, user)) {
            executor.execute(() -> user.broken(this));
        }
    }

    /** Stops listening to a channel; its user is told nothing any more. */
    void forget(String channel) {
        if (users.remove(channel) != null && !broken.get()) {
            outbox.send(() -> {
                if (Keys.isSharded(channel)) {
                    commands.sunsubscribe(channel);
                } else {
                    commands.unsubscribe(channel);
                }
            });
        }
    }

    /** The call of a script. */
    record Call(Script script, List<String> keys, List<String> arguments) {}

    /**
     * Sends a script to be carried out.
     *
     * @param how by the script's digest or by its text; a digest that the server does not know fails with
     *     {@link RedisNoScriptException}, and then nothing was carried out
     * @param call asked for by the connection's thread when the call is written: until then, the call may change
     * @param then given the answer, on the connection's thread in its place among answers and messages; or the failure
     */
    void send(CommandType how, Supplier<Call> call, BiConsumer<@Nullable List<Object>, @Nullable Throwable> then) {
        outbox.send(() -> dispatch(new Late(how, call), then));
    }

    /** The call of a script by its digest or its text; its arguments are asked for when it is written. */
    private static final class Late extends Command<String, String, List<Object>> {

        private final Supplier<Call> call;
        private boolean written; // by the connection's thread

        Late(CommandType how, Supplier<Call> call) {
            super(how, new NestedMultiOutput<>(StringCodec.UTF8), new CommandArgs<>(StringCodec.UTF8));
            this.call = call;
        }

        @Override
        public void encode(ByteBuf buffer) {
            if (!written) {
                Call now = call.get();
                written = true;
                boolean known = getType() == CommandType.EVALSHA;
                add(getArgs(), known ? now.script.digest() : now.script.text(), now.keys, now.arguments);
            }
            super.encode(buffer);
        }
    }

    /**
     * The call of a script.
     *
     * @param how by its digest or by its text
     */
    static AsyncCommand<String, String, List<Object>> call(
            CommandType how, String script, List<String> keys, List<String> arguments) {
        CommandArgs<String, String> words = new CommandArgs<>(StringCodec.UTF8);
        add(words, script, keys, arguments);
        return new AsyncCommand<>(new Command<>(how, new NestedMultiOutput<>(StringCodec.UTF8), words));
    }

    private static void add(
            CommandArgs<String, String> words, String script, List<String> keys, List<String> arguments) {
        words.add(script).add(keys.size()).addKeys(keys).addValues(arguments);
    }

    private void dispatch(Late call, BiConsumer<@Nullable List<Object>, @Nullable Throwable> then) {
        AsyncCommand<String, String, List<Object>> command = new AsyncCommand<>(call);
        command.whenComplete((answer, failure) -> {
            if (failure == null) {
                then.accept(answer, null);
            } else {
                // The failure may come while a request is being sent.
                executor.execute(() -> then.accept(null, failure));
            }
        });
        connection.dispatch(command);
    }

    /**
     * Waits until replicas have all changes made so far; the server carries out nothing else for this connection
     * meanwhile.
     *
     * @param tickets that are to be in their queues: by ticket, the key of its queue
     * @param unknown is given the tickets that are not there
     * @param key a key that may expire after {@code keptMillis} from now on
     * @return how many replicas have acknowledged the changes in time; fails if the key is not there, or the server is
     *     not in charge of it: then there is nothing that replicas could acknowledge
     */
    CompletableFuture<Long> acknowledged(
            Map<String, String> tickets,
            Set<String> unknown,
            String key,
            long keptMillis,
            int replicas,
            Duration atMost) {
        CompletableFuture<Long> result = new CompletableFuture<>();
        outbox.send(() -> {
            List<CompletableFuture<Double>> numbers = new ArrayList<>();
            tickets.forEach((ticket, queue) -> numbers.add(Stages.map(commands.zscore(queue, ticket), number -> {
                if (number == null) {
                    unknown.add(ticket);
                }
                return number;
            })));
            CompletionStage<Boolean> touched = commands.pexpire(key, keptMillis);
            CompletionStage<Long> waited = commands.waitForReplication(replicas, atMost.toMillis());
            CompletionStage<Boolean> looked = Stages.all(numbers).thenCombine(touched, (all, isThere) -> isThere);
            looked.thenCombine(waited, (isThere, count) -> {
                        if (!isThere) {
                            throw new LockStoreException("the key " + key + " is not there");
                        }
                        return count;
                    })
                    .whenComplete((count, failure) -> {
                        if (failure == null) {
                            result.complete(count);
                        } else {
                            executor.execute(() -> result.completeExceptionally(failure));
                        }
                    });
        });
        return result;
    }

    /** Ends the connection, and tells its users. */
    CompletionStage<Void> breakOff() {
        if (broken.compareAndSet(false, true)) {
            users.forEach((channel, user) -> {
                if (users.remove(channel, user)) {
                    user.broken(this);
                }
            });
            connection.closeAsync().whenComplete((done, failure) -> closed.complete(null));
        }
        return closed;
    }

    private final class Listener extends RedisPubSubAdapter<String, String> {

        @Override
        public void message(String channel, String text) {
            User user = users.get(channel);
            if (user != null) {
                user.message(Wire.this, text);
            }
        }

        @Override
        public void smessage(String channel, String text) {
            message(channel, text);
        }

        @Override
        public void subscribed(String channel, long count) {
            User user = users.get(channel);
            if (user != null) {
                user.listening();
            }
        }

        @Override
        public void ssubscribed(String channel, long count) {
            subscribed(channel, count);
        }

        /** The server itself has ended the subscription: another server is in charge of the slot now. */
        @Override
        public void sunsubscribed(String channel, long count) {
            User user = users.remove(channel);
            if (user != null) {
                user.broken(Wire.this);
            }
        }
    }
}
