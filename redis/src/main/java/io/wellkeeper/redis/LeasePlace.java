package io.wellkeeper.redis;

import io.lettuce.core.RedisClient;
import io.wellkeeper.spi.StoreUri;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Function;

/**
 * The place that the URI of a store of leases names: one server, a master that sentinels choose
 * ({@code ..-sentinel://}), or a Cluster ({@code ..-cluster://}).
 *
 * @param prefix what every key begins with
 * @param cluster whether the place is a Cluster
 * @param finder makes the topology, which finds the master by means of a client
 * @param fairLockWait for how long Redisson waits for each waiter of an {@code RFairLock}; without meaning elsewhere
 */
record LeasePlace(String prefix, boolean cluster, Function<RedisClient, Topology> finder, Duration fairLockWait) {

    private static final String FAIR_LOCK_WAIT_TIMEOUT = "fairLockWaitTimeout"; // called as in Redisson's Config
    private static final Duration FAIR_LOCK_WAIT = Duration.ofMinutes(5); // the same default as in Redisson

    static LeasePlace of(StoreUri uri) {
        boolean sentinels = uri.scheme().endsWith("-sentinel");
        boolean cluster = uri.scheme().endsWith("-cluster");
        Set<String> allowed = new HashSet<>(Set.of("prefix", "client"));
        if (sentinels) {
            allowed.addAll(Sentinels.PARAMETERS);
        }
        if (uri.scheme().contains("-redisson")) {
            allowed.add(FAIR_LOCK_WAIT_TIMEOUT);
        }
        uri.refuseOtherParametersThan(allowed);
        return new LeasePlace(
                uri.parameter("prefix").orElse(""),
                cluster,
                finder(uri, sentinels, cluster),
                uri.duration(FAIR_LOCK_WAIT_TIMEOUT).orElse(FAIR_LOCK_WAIT));
    }

    private static Function<RedisClient, Topology> finder(StoreUri uri, boolean sentinels, boolean cluster) {
        if (sentinels) {
            return Sentinels.of(uri);
        }
        if (cluster) {
            return ClusterSlots.of(uri);
        }
        RedisServer server = RedisServer.of(uri);
        return client -> Topology.of(server);
    }
}
