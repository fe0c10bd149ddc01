package io.wellkeeper.redis;

import io.wellkeeper.spi.StoreProvider;
import io.wellkeeper.spi.StoreUri;
import io.wellkeeper.spi.TicketStore;
import java.util.Set;

/** Makes a {@link RedisTicketStore} of a URI such as {@code redis://localhost:6379}, or of Sentinels or a Cluster. */
public final class RedisTicketStoreProvider implements StoreProvider {

    /** For {@link java.util.ServiceLoader}. */
    public RedisTicketStoreProvider() {}

    @Override
    public Set<String> schemes() {
        return RedisPlace.SCHEMES;
    }

    @Override
    public TicketStore create(StoreUri uri) {
        return RedisTicketStore.of(uri);
    }
}
