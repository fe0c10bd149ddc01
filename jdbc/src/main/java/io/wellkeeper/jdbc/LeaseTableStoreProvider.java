package io.wellkeeper.jdbc;

import io.wellkeeper.spi.LeaseStore;
import io.wellkeeper.spi.LeaseStoreProvider;
import io.wellkeeper.spi.StoreUri;
import java.util.Set;

/** Makes a {@link LeaseTableStore} of a URI such as {@code jdbc-simple:postgresql://localhost/database?user=name}. */
public final class LeaseTableStoreProvider implements LeaseStoreProvider {

    /** For {@link java.util.ServiceLoader}. */
    public LeaseTableStoreProvider() {}

    @Override
    public Set<String> schemes() {
        return Set.of("jdbc-simple");
    }

    @Override
    public LeaseStore create(StoreUri uri) {
        return LeaseTableStore.of(uri);
    }
}
