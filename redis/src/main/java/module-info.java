/** Wellkeeper locks kept in Redis. */
module io.wellkeeper.redis {
    requires transitive io.wellkeeper;
    requires transitive static org.jspecify;
    requires io.netty.buffer;
    requires io.netty.common;
    requires org.slf4j;
    requires transitive lettuce.core;

    exports io.wellkeeper.redis;

    provides io.wellkeeper.spi.StoreProvider with
            io.wellkeeper.redis.RedisTicketStoreProvider;
    provides io.wellkeeper.spi.LeaseStoreProvider with
            io.wellkeeper.redis.RedisLeaseStoreProvider,
            io.wellkeeper.redis.RedissonLeaseStoreProvider,
            io.wellkeeper.redis.RedlockLeaseStoreProvider;
}
