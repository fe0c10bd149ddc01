package io.wellkeeper.redis;

import io.wellkeeper.testservers.RedisProcess;
import org.junit.jupiter.api.Tag;
import org.redisson.config.Config;

@Tag("full")
class RedissonClusterTest extends RedissonSharing {

    RedissonClusterTest(ClusterServers servers) {
        super(servers, "redis-redisson-cluster");
    }

    @Override
    void point(Config config) {
        config.useClusterServers()
                .addNodeAddress(servers.masters().stream()
                        .map(RedisProcess::address)
                        .map(address -> "redis://" + address)
                        .toArray(String[]::new))
                .setMasterConnectionMinimumIdleSize(1)
                .setMasterConnectionPoolSize(4)
                .setSubscriptionConnectionMinimumIdleSize(1)
                .setSubscriptionConnectionPoolSize(2);
    }
}
