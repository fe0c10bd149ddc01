package io.wellkeeper.redis;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** Locks in the layout of Redisson keep every contract but those of order. */
class RedissonLeaseContractsTest extends LeaseContracts {

    private final SingleServer servers;

    RedissonLeaseContractsTest(SingleServer servers) {
        this.servers = servers;
    }

    @Override
    LeaseKit kit() {
        return new LeaseKit(
                servers,
                "redis-redisson",
                "",
                false,
                (uri, connector) -> new RedissonLeaseStore(LeasePlace.of(uri), connector));
    }

    @Nested
    @Tag("full")
    class Locks extends LockContracts {}
}
