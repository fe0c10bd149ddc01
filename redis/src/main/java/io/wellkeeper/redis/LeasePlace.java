package io.wellkeeper.redis;

import io.lettuce.core.RedisClient;
import io.wellkeeper.spi.StoreUri;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Function;

/**
 * What the URI of a store of leases says: one server, a master that sentinels choose ({@code ..-sentinel://}), or a Cluster
 * ({@code ..-cluster://}).
 *
 * @param prefix what every key begins with
 * @param cluster whether it is a Cluster
 * @param finder makes what finds the master by means of a client
 */
record LeasePlace(String prefix, boolean cluster, Function<RedisClient, Topology> finder) {

    static LeasePlace of(StoreUri uri) {
        boolean sentinels = uri.scheme().endsWith("-sentinel");
        boolean cluster = uri.scheme().endsWith("-cluster");
        Set<String> allowed = new HashSet<>(Set.of("prefix", "client"));
        if (sentinels) {
            allowed.addAll(Sentinels.PARAMETERS);
        }
        uri.refuseOtherParametersThan(allowed);
        return new LeasePlace(uri.parameter("prefix").orElse(""), cluster, finder(uri, sentinels, cluster));
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
