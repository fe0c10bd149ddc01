package io.wellkeeper.jdbc;

import io.wellkeeper.spi.StoreProvider;
import io.wellkeeper.spi.StoreUri;
import io.wellkeeper.spi.TicketStore;
import java.util.Set;

/** Makes a {@link SqlTicketStore} of a URI such as {@code jdbc:postgresql://localhost/database?user=name}. */
public final class SqlTicketStoreProvider implements StoreProvider {

    /** For {@link java.util.ServiceLoader}. */
    public SqlTicketStoreProvider() {}

    @Override
    public Set<String> schemes() {
        return Set.of("jdbc");
    }

    @Override
    public TicketStore create(StoreUri uri) {
        return SqlTicketStore.of(uri);
    }
}
