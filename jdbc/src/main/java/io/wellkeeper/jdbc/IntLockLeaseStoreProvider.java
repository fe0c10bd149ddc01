package io.wellkeeper.jdbc;

import io.wellkeeper.spi.LeaseStore;
import io.wellkeeper.spi.LeaseStoreProvider;
import io.wellkeeper.spi.StoreUri;
import java.util.Set;

/** Makes an {@link IntLockLeaseStore} of a URI such as {@code jdbc-spring-integration:postgresql://localhost/database?user=name}. */
public final class IntLockLeaseStoreProvider implements LeaseStoreProvider {

    /** For {@link java.util.ServiceLoader}. */
    public IntLockLeaseStoreProvider() {}

    @Override
    public Set<String> schemes() {
        return Set.of("jdbc-spring-integration");
    }

    @Override
    public LeaseStore create(StoreUri uri) {
        return IntLockLeaseStore.of(uri);
    }
}
