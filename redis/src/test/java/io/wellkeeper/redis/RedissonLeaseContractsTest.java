package io.wellkeeper.redis;

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
}
