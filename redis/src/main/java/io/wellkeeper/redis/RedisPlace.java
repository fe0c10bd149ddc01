package io.wellkeeper.redis;

import io.lettuce.core.RedisClient;
import io.wellkeeper.spi.StoreUri;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;

/**
 * The place that a URI names: one server, a master that sentinels choose, or a Cluster; and the names of the keys
 * there.
 *
 * @param finder makes the topology, which finds the master by means of a client
 * @param keys the names of keys and channels
 * @param replicas how many replicas must know of a ticket before a client may have it; 0 if that does not matter
 * @param replicaTimeout how long to wait for the replicas
 * @param restartGuard whether no session begins at a server that may have forgotten sessions until their time is up
 */
record RedisPlace(
        Function<RedisClient, Topology> finder,
        Keys keys,
        int replicas,
        Duration replicaTimeout,
        boolean restartGuard) {

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
                yield place(client -> Topology.of(server), new Keys(RedisServer.prefix(uri), Keys.SINGLE, false), uri);
            }
        };
    }

    private static RedisPlace sentinel(StoreUri uri) {
        refuseOthersThan(Sentinels.PARAMETERS, uri);
        return place(Sentinels.of(uri), new Keys(RedisServer.prefix(uri), Keys.SINGLE, false), uri);
    }

    private static RedisPlace cluster(StoreUri uri) {
        refuseOthersThan(Set.of("partitions"), uri);
        int partitions = uri.parameter("partitions")
                .map(text -> RedisServer.number("partitions", text, 1, MOST_PARTITIONS))
                .orElse(Keys.CLUSTER);
        return place(ClusterSlots.of(uri), new Keys(RedisServer.prefix(uri), partitions, true), uri);
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

    Topology topology(RedisClient client) {
        return finder.apply(client);
    }
}
