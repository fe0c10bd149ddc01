package io.wellkeeper.redis;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** The classic lock keeps every contract but those of order where sentinels choose the master. */
class RedisLeaseSentinelContractsTest extends LeaseContracts {

    private final SentinelServers servers;

    RedisLeaseSentinelContractsTest(SentinelServers servers) {
        this.servers = servers;
    }

    @Override
    LeaseKit kit() {
        return new LeaseKit(
                servers,
                "redis-simple-sentinel",
                "",
                true,
                (uri, connector) -> new RedisLeaseStore(LeasePlace.of(uri), connector));
    }

    @Nested
    @Tag("full")
    class Locks extends LockContracts {}
}
