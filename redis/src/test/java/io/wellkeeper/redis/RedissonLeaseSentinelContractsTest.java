package io.wellkeeper.redis;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** Locks in the layout of Redisson keep every contract but those of order where sentinels choose the master. */
class RedissonLeaseSentinelContractsTest extends LeaseContracts {

    private final SentinelServers servers;

    RedissonLeaseSentinelContractsTest(SentinelServers servers) {
        this.servers = servers;
    }

    @Override
    LeaseKit kit() {
        return new LeaseKit(
                servers,
                "redis-redisson-sentinel",
                "",
                false,
                (uri, connector) -> new RedissonLeaseStore(LeasePlace.of(uri), connector));
    }

    @Nested
    @Tag("full")
    class Locks extends LockContracts {}
}
