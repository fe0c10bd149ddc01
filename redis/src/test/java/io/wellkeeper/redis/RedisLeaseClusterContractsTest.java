package io.wellkeeper.redis;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** The classic lock keeps every contract but those of order on a Cluster. */
class RedisLeaseClusterContractsTest extends LeaseContracts {

    private final ClusterServers servers;

    RedisLeaseClusterContractsTest(ClusterServers servers) {
        this.servers = servers;
    }

    @Override
    LeaseKit kit() {
        return new LeaseKit(
                servers,
                "redis-simple-cluster",
                "",
                true,
                (uri, connector) -> new RedisLeaseStore(LeasePlace.of(uri), connector));
    }

    @Nested
    @Tag("full")
    class Locks extends LockContracts {}
}
