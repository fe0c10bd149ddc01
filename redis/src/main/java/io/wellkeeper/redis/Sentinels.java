package io.wellkeeper.redis;

import io.lettuce.core.RedisClient;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.ValueListOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.wellkeeper.LockStoreException;
import io.wellkeeper.spi.StoreUri;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * A master that sentinels choose. Each question goes to all sentinels, and the answer that most of them give counts.
 */
final class Sentinels implements Topology {

    /** The parameters of a URI for sentinels, besides the parameters for all servers. */
    static final Set<String> PARAMETERS = Set.of("database", "sentinelUser", "sentinelPassword");

    private static final int DEFAULT_PORT = 26_379;

    private final Questions questions = new Questions();
    private final RedisClient client;
    private final List<RedisServer> sentinels;
    private final String name;
    private final RedisServer example;

    /**
     * @param name what the sentinels call the master
     * @param example says how to speak to the master, wherever it is
     */
    Sentinels(RedisClient client, List<RedisServer> sentinels, String name, RedisServer example) {
        this.client = client;
        this.sentinels = sentinels;
        this.name = name;
        this.example = example;
    }

    /** The master that {@code ..-sentinel://host:port,host:port/name} names. */
    static Function<RedisClient, Topology> of(StoreUri uri) {
        String name = uri.path().startsWith("/") ? uri.path().substring(1) : uri.path();
        if (name.isEmpty() || name.indexOf('/') >= 0) {
            throw new IllegalArgumentException(
                    "store URI does not say which master; expected " + uri.scheme() + "://host:port,host:port/name");
        }
        int database = uri.parameter("database")
                .map(text -> RedisServer.number("database", text, 0, Integer.MAX_VALUE))
                .orElse(0);
        RedisServer example = RedisServer.all(uri, DEFAULT_PORT, database).get(0);
        Optional<String> user = uri.parameter("sentinelUser");
        Optional<String> password = uri.parameter("sentinelPassword");
        List<RedisServer> sentinels = RedisServer.all(uri, DEFAULT_PORT, 0).stream()
                .map(sentinel -> sentinel.as(user, password))
                .toList();
        return client -> new Sentinels(client, sentinels, name, example);
    }

    @Override
    public CompletionStage<RedisServer> master(int slot, boolean again) {
        return Majority.of(sentinels.stream().map(this::ask).toList());
    }

    /** A master that an operator has replaced, or that was cut off, is told so some ten seconds after all others. */
    @Override
    public boolean mayReplaceUntold() {
        return true;
    }

    /** True as soon as more than half of the sentinels name another master. */
    @Override
    public CompletionStage<Boolean> isReplaced(String address) {
        CompletableFuture<Boolean> result = new CompletableFuture<>();
        AtomicInteger others = new AtomicInteger(); // the sentinels that name another
        CompletableFuture<?>[] heard = sentinels.stream()
                .map(sentinel -> ask(sentinel).thenAccept(master -> {
                    if (!master.address().equals(address) && others.incrementAndGet() > sentinels.size() / 2) {
                        result.complete(true);
                    }
                }))
                .toArray(CompletableFuture<?>[]::new);
        CompletableFuture.allOf(heard).whenComplete((all, failure) -> result.complete(false));
        return result;
    }

    /**
     * Asks a sentinel as any other server: Lettuce's own way logs a long warning for each attempt to reach a sentinel
     * that cannot be reached.
     */
    private CompletableFuture<RedisServer> ask(RedisServer sentinel) {
        CompletableFuture<List<String>> answer = questions.ask(
                sentinel,
                () -> client.connectAsync(StringCodec.UTF8, sentinel.uri("wellkeeper")),
                connection -> connection
                        .async()
                        .dispatch(
                                CommandType.SENTINEL,
                                new ValueListOutput<>(StringCodec.UTF8),
                                new CommandArgs<>(StringCodec.UTF8)
                                        .add("GET-MASTER-ADDR-BY-NAME")
                                        .add(name)));
        return Stages.map(answer, address -> {
            if (address.size() == 2) { // else there is no such master
                return example.at(address.get(0), Integer.parseInt(address.get(1)));
            }
            throw new LockStoreException("the sentinel at " + sentinel.address() + " knows no master '" + name + "'");
        });
    }

    @Override
    public CompletableFuture<Void> close() {
        return questions.close();
    }

    @Override
    public String address() {
        return sentinels.stream().map(RedisServer::address).collect(Collectors.joining(",")) + "/" + name;
    }
}
