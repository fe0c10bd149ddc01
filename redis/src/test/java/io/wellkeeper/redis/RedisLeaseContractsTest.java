package io.wellkeeper.redis;

import org.junit.jupiter.api.Nested;

/** The classic lock keeps every contract but those of order. */
class RedisLeaseContractsTest extends LeaseContracts {

    private final SingleServer servers;

    RedisLeaseContractsTest(SingleServer servers) {
        this.servers = servers;
    }

    @Override
    LeaseKit kit() {
        return new LeaseKit(
                servers,
                "redis-simple",
                "",
                true,
                (uri, connector) -> new RedisLeaseStore(LeasePlace.of(uri), connector));
    }

    @Nested
    class Locks extends LockContracts {}
}
