package io.wellkeeper.redis;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** Locks in the layout of Redisson keep every contract but those of order on a Cluster. */
class RedissonLeaseClusterContractsTest extends LeaseContracts {

    private final ClusterServers servers;

    RedissonLeaseClusterContractsTest(ClusterServers servers) {
        this.servers = servers;
    }

    @Override
    LeaseKit kit() {
        return new LeaseKit(
                servers,
                "redis-redisson-cluster",
                "",
                false,
                (uri, connector) -> new RedissonLeaseStore(LeasePlace.of(uri), connector));
    }

    @Nested
    @Tag("full")
    class Locks extends LockContracts {}
}
