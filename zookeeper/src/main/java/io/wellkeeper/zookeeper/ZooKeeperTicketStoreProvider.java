package io.wellkeeper.zookeeper;

import io.wellkeeper.spi.StoreProvider;
import io.wellkeeper.spi.StoreUri;
import io.wellkeeper.spi.TicketStore;
import java.util.Set;

/** Makes {@link ZooKeeperTicketStore}s of {@code zookeeper:} URIs. */
public final class ZooKeeperTicketStoreProvider implements StoreProvider {

    /** For {@link java.util.ServiceLoader}. */
    public ZooKeeperTicketStoreProvider() {}

    @Override
    public Set<String> schemes() {
        return Set.of("zookeeper");
    }

    @Override
    public TicketStore create(StoreUri uri) {
        return ZooKeeperTicketStore.of(uri);
    }
}
