package io.wellkeeper.redis;

import io.lettuce.core.RedisClient;
import io.wellkeeper.spi.StoreUri;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * What a URI says: one server, a master that sentinels choose, or a Cluster; and what the keys are called there.
 *
 * @param finder makes what finds the master by means of a client
 * @param keys what everything is called
 * @param restartGuard whether no session is opened at a server without data until the time of older ones is up
 */
record RedisPlace(Function<RedisClient, Topology> finder, Keys keys, boolean restartGuard) {

    private static final int DEFAULT_PORT = 6379;
    private static final int DEFAULT_SENTINEL_PORT = 26_379;
    private static final int MOST_PARTITIONS = 1024;

    static final Set<String> SCHEMES =
            Set.of("redis", "rediss", "redis-sentinel", "rediss-sentinel", "redis-cluster", "rediss-cluster");

    static RedisPlace of(StoreUri uri) {
        return switch (uri.scheme()) {
            case "redis-sentinel", "rediss-sentinel" -> sentinel(uri);
            case "redis-cluster", "rediss-cluster" -> cluster(uri);
            default -> {
                RedisServer server = RedisServer.of(uri);
                yield new RedisPlace(
                        client -> Topology.of(server), new Keys(server.prefix(), Keys.SINGLE, false), guard(uri));
            }
        };
    }

    private static RedisPlace sentinel(StoreUri uri) {
        uri.refuseOtherParametersThan(
                Set.of("prefix", "client", "database", "sentinelUser", "sentinelPassword", "restartGuard"));
        String name = path(uri);
        if (name.isEmpty() || name.indexOf('/') >= 0) {
            throw new IllegalArgumentException(
                    "store URI does not say which master; expected " + uri.scheme() + "://host:port,host:port/name");
        }
        int database = uri.parameter("database")
                .map(text -> RedisServer.number("database", text, 0, Integer.MAX_VALUE))
                .orElse(0);
        RedisServer example =
                RedisServer.all(uri, DEFAULT_SENTINEL_PORT, database).get(0);
        Optional<String> user = uri.parameter("sentinelUser");
        Optional<String> password = uri.parameter("sentinelPassword");
        List<RedisServer> sentinels = RedisServer.all(uri, DEFAULT_SENTINEL_PORT, 0).stream()
                .map(sentinel -> sentinel.as(user, password))
                .toList();
        return new RedisPlace(
                client -> new Sentinels(client, sentinels, name, example),
                new Keys(example.prefix(), Keys.SINGLE, false),
                guard(uri));
    }

    private static RedisPlace cluster(StoreUri uri) {
        uri.refuseOtherParametersThan(Set.of("prefix", "client", "partitions", "restartGuard"));
        if (!path(uri).isEmpty()) {
            throw new IllegalArgumentException("store URI has a path; a Redis Cluster has no databases to choose from");
        }
        int partitions = uri.parameter("partitions")
                .map(text -> RedisServer.number("partitions", text, 1, MOST_PARTITIONS))
                .orElse(Keys.CLUSTER);
        List<RedisServer> seeds = RedisServer.all(uri, DEFAULT_PORT, 0);
        return new RedisPlace(
                client -> new ClusterSlots(client, seeds),
                new Keys(seeds.get(0).prefix(), partitions, true),
                guard(uri));
    }

    private static boolean guard(StoreUri uri) {
        String value = uri.parameter("restartGuard").orElse("on");
        if (!value.equals("on") && !value.equals("off")) {
            throw new IllegalArgumentException("store URI has restartGuard=" + value + "; expected on or off");
        }
        return value.equals("on");
    }

    private static String path(StoreUri uri) {
        return uri.path().startsWith("/") ? uri.path().substring(1) : uri.path();
    }

    Topology topology(RedisClient client) {
        return finder.apply(client);
    }
}
