package io.wellkeeper.redis;

import io.wellkeeper.spi.LeaseStore;
import io.wellkeeper.spi.LeaseStoreProvider;
import io.wellkeeper.spi.StoreUri;
import java.util.Set;

/** Makes a {@link RedlockLeaseStore} of a URI such as {@code redlock://host1:6379,host2:6379,host3:6379}. */
public final class RedlockLeaseStoreProvider implements LeaseStoreProvider {

    /** For {@link java.util.ServiceLoader}. */
    public RedlockLeaseStoreProvider() {}

    @Override
    public Set<String> schemes() {
        return Set.of(RedlockOptions.SCHEME, RedlockOptions.TLS_SCHEME);
    }

    @Override
    public LeaseStore create(StoreUri uri) {
        return RedlockLeaseStore.of(uri);
    }
}
