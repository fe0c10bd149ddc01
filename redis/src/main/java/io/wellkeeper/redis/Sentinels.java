package io.wellkeeper.redis;

import io.lettuce.core.RedisClient;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.sentinel.api.StatefulRedisSentinelConnection;
import io.wellkeeper.LockStoreException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A master that sentinels choose. All of them are asked each time, and the first answer counts. */
final class Sentinels implements Topology {

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

    @Override
    public CompletionStage<RedisServer> master(int slot, boolean again) {
        return Topology.first(sentinels.stream().map(this::ask).toList());
    }

    private CompletableFuture<RedisServer> ask(RedisServer sentinel) {
        CompletableFuture<RedisServer> result = new CompletableFuture<>();
        client.connectSentinelAsync(StringCodec.UTF8, sentinel.uri("wellkeeper"))
                .whenComplete((connection, failure) -> {
                    if (connection == null) {
                        result.completeExceptionally(sentinel.unreachable(failure));
                    } else {
                        ask(sentinel, connection, result);
                    }
                });
        return result;
    }

    private void ask(
            RedisServer sentinel,
            StatefulRedisSentinelConnection<String, String> connection,
            CompletableFuture<RedisServer> result) {
        CompletableFuture<@Nullable SocketAddress> answered = new CompletableFuture<>();
        connection.async().getMasterAddrByName(name).whenComplete((address, failure) -> {
            if (failure == null) {
                answered.complete(address);
            } else {
                answered.completeExceptionally(failure);
            }
        });
        answered.orTimeout(RedisServer.CONNECT_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
                .whenComplete((address, failure) -> {
                    connection.closeAsync();
                    if (address instanceof InetSocketAddress where) {
                        result.complete(example.at(where.getHostString(), where.getPort()));
                    } else {
                        result.completeExceptionally(
                                failure == null
                                        ? new LockStoreException("the sentinel at " + sentinel.address()
                                                + " knows no master '" + name + "'")
                                        : sentinel.unreachable(failure));
                    }
                });
    }

    @Override
    public String address() {
        return sentinels.stream().map(RedisServer::address).collect(Collectors.joining(",")) + "/" + name;
    }
}
