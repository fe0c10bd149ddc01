package io.wellkeeper.redis;

import io.lettuce.core.RedisClient;
import io.wellkeeper.spi.StoreUri;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;

/**
 * What a URI says: one server, a master that sentinels choose, or a Cluster; and what the keys are called there.
 *
 * @param finder makes what finds the master by means of a client
 * @param keys what everything is called
 * @param replicas how many replicas must know of a ticket before it is anybody's; 0 if that does not matter
 * @param replicaTimeout how long they are waited for
 * @param restartGuard whether no session is opened at a server without data until the time of older ones is up
 */
record RedisPlace(
        Function<RedisClient, Topology> finder,
        Keys keys,
        int replicas,
        Duration replicaTimeout,
        boolean restartGuard) {

    private static final int DEFAULT_PORT = 6379;
    private static final int DEFAULT_SENTINEL_PORT = 26_379;
    private static final int MOST_PARTITIONS = 1024;
    private static final int MOST_REPLICAS = 100;
    private static final Duration REPLICA_TIMEOUT = Duration.ofSeconds(1);

    static final Set<String> SCHEMES =
            Set.of("redis", "rediss", "redis-sentinel", "rediss-sentinel", "redis-cluster", "rediss-cluster");

    static RedisPlace of(StoreUri uri) {
        return switch (uri.scheme()) {
            case "redis-sentinel", "rediss-sentinel" -> sentinel(uri);
            case "redis-cluster", "rediss-cluster" -> cluster(uri);
            default -> {
                refuseOthersThan(Set.of(), uri);
                RedisServer server = RedisServer.of(uri);
                yield place(client -> Topology.of(server), new Keys(server.prefix(), Keys.SINGLE, false), uri);
            }
        };
    }

    private static RedisPlace sentinel(StoreUri uri) {
        refuseOthersThan(Set.of("database", "sentinelUser", "sentinelPassword"), uri);
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
        return place(
                client -> new Sentinels(client, sentinels, name, example),
                new Keys(example.prefix(), Keys.SINGLE, false),
                uri);
    }

    private static RedisPlace cluster(StoreUri uri) {
        refuseOthersThan(Set.of("partitions"), uri);
        if (!path(uri).isEmpty()) {
            throw new IllegalArgumentException("store URI has a path; a Redis Cluster has no databases to choose from");
        }
        int partitions = uri.parameter("partitions")
                .map(text -> RedisServer.number("partitions", text, 1, MOST_PARTITIONS))
                .orElse(Keys.CLUSTER);
        List<RedisServer> seeds = RedisServer.all(uri, DEFAULT_PORT, 0);
        return place(
                client -> new ClusterSlots(client, seeds), new Keys(seeds.get(0).prefix(), partitions, true), uri);
    }

    private static RedisPlace place(Function<RedisClient, Topology> finder, Keys keys, StoreUri uri) {
        int replicas = uri.parameter("replicas")
                .map(text -> RedisServer.number("replicas", text, 0, MOST_REPLICAS))
                .orElse(0);
        Duration timeout = uri.duration("replicaTimeout").orElse(REPLICA_TIMEOUT);
        if (timeout.toMillis() == 0) {
            throw new IllegalArgumentException("store URI has replicaTimeout=0, by which Redis means for ever");
        }
        return new RedisPlace(finder, keys, replicas, timeout, guard(uri));
    }

    private static void refuseOthersThan(Set<String> known, StoreUri uri) {
        Set<String> all = new TreeSet<>(known);
        all.addAll(Set.of("prefix", "client", "replicas", "replicaTimeout", "restartGuard"));
        uri.refuseOtherParametersThan(all);
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
