package io.wellkeeper.redis;

import org.redisson.config.Config;

class RedissonTest extends RedissonSharing {

    RedissonTest(SingleServer servers) {
        super(servers, "redis-redisson");
    }

    @Override
    void point(Config config) {
        config.useSingleServer()
                .setAddress(servers.uri())
                .setConnectionMinimumIdleSize(1)
                .setConnectionPoolSize(4)
                .setSubscriptionConnectionMinimumIdleSize(1)
                .setSubscriptionConnectionPoolSize(2);
    }
}
