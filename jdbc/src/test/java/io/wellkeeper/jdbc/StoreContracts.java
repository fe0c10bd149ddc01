package io.wellkeeper.jdbc;

import io.wellkeeper.storekit.TicketStoreContracts;
import io.wellkeeper.storekit.TicketStoreFixture;
import org.junit.jupiter.api.extension.ExtendWith;

/** Every law of a store, held against one database server. */
@ExtendWith(SharedServers.class)
abstract class StoreContracts extends TicketStoreContracts {

    final Servers server;

    StoreContracts(Servers server) {
        this.server = server;
    }

    @Override
    protected TicketStoreFixture newFixture() {
        return KitFixtures.tickets(server);
    }
}
