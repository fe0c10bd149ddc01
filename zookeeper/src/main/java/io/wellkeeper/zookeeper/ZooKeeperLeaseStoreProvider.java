package io.wellkeeper.zookeeper;

import io.wellkeeper.spi.LeaseStore;
import io.wellkeeper.spi.LeaseStoreProvider;
import io.wellkeeper.spi.StoreUri;
import java.util.Set;

/** Makes {@link ZooKeeperLeaseStore}s of {@code zookeeper-simple:} URIs. */
public final class ZooKeeperLeaseStoreProvider implements LeaseStoreProvider {

    /** For {@link java.util.ServiceLoader}. */
    public ZooKeeperLeaseStoreProvider() {}

    @Override
    public Set<String> schemes() {
        return Set.of("zookeeper-simple");
    }

    @Override
    public LeaseStore create(StoreUri uri) {
        return ZooKeeperLeaseStore.of(uri);
    }
}
