package io.wellkeeper.redis;

import io.wellkeeper.spi.LeaseStore;
import io.wellkeeper.spi.LeaseStoreProvider;
import io.wellkeeper.spi.StoreUri;
import java.util.Set;

/** Makes a {@link RedissonLeaseStore} of a URI such as {@code redis-redisson://localhost:6379}. */
public final class RedissonLeaseStoreProvider implements LeaseStoreProvider {

    /** For {@link java.util.ServiceLoader}. */
    public RedissonLeaseStoreProvider() {}

    @Override
    public Set<String> schemes() {
        return Set.of(
                "redis-redisson",
                "rediss-redisson",
                "redis-redisson-sentinel",
                "rediss-redisson-sentinel",
                "redis-redisson-cluster",
                "rediss-redisson-cluster");
    }

    @Override
    public LeaseStore create(StoreUri uri) {
        return RedissonLeaseStore.of(uri);
    }
}
