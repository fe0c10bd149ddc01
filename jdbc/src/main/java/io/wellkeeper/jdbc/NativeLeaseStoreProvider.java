package io.wellkeeper.jdbc;

import io.wellkeeper.spi.LeaseStore;
import io.wellkeeper.spi.LeaseStoreProvider;
import io.wellkeeper.spi.StoreUri;
import java.util.Set;

/** Makes a {@link NativeLeaseStore} of a URI such as {@code jdbc-native:postgresql://localhost/database?user=name}. */
public final class NativeLeaseStoreProvider implements LeaseStoreProvider {

    /** For {@link java.util.ServiceLoader}. */
    public NativeLeaseStoreProvider() {}

    @Override
    public Set<String> schemes() {
        return Set.of("jdbc-native");
    }

    @Override
    public LeaseStore create(StoreUri uri) {
        return NativeLeaseStore.of(uri);
    }
}
