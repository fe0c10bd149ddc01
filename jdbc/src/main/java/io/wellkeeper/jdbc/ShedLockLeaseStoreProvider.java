package io.wellkeeper.jdbc;

import io.wellkeeper.spi.LeaseStore;
import io.wellkeeper.spi.LeaseStoreProvider;
import io.wellkeeper.spi.StoreUri;
import java.util.Set;

/** Makes a {@link ShedLockLeaseStore} of a URI such as {@code jdbc-shedlock:postgresql://localhost/database?user=name}. */
public final class ShedLockLeaseStoreProvider implements LeaseStoreProvider {

    /** For {@link java.util.ServiceLoader}. */
    public ShedLockLeaseStoreProvider() {}

    @Override
    public Set<String> schemes() {
        return Set.of("jdbc-shedlock");
    }

    @Override
    public LeaseStore create(StoreUri uri) {
        return ShedLockLeaseStore.of(uri);
    }
}
