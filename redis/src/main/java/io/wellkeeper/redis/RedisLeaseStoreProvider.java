package io.wellkeeper.redis;

import io.wellkeeper.spi.LeaseStore;
import io.wellkeeper.spi.LeaseStoreProvider;
import io.wellkeeper.spi.StoreUri;
import java.util.Set;

/** Makes a {@link RedisLeaseStore} of a URI such as {@code redis-simple://localhost:6379}. */
public final class RedisLeaseStoreProvider implements LeaseStoreProvider {

    /** For {@link java.util.ServiceLoader}. */
    public RedisLeaseStoreProvider() {}

    @Override
    public Set<String> schemes() {
        return Set.of(
                "redis-simple",
                "rediss-simple",
                "redis-simple-sentinel",
                "rediss-simple-sentinel",
                "redis-simple-cluster",
                "rediss-simple-cluster");
    }

    @Override
    public LeaseStore create(StoreUri uri) {
        return RedisLeaseStore.of(uri);
    }
}
