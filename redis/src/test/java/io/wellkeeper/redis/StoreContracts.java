package io.wellkeeper.redis;

import io.wellkeeper.storekit.LockFixture;
import io.wellkeeper.storekit.OutageContract;
import io.wellkeeper.storekit.TicketStoreContracts;
import io.wellkeeper.storekit.TicketStoreFixture;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.extension.ExtendWith;

/** Every law of a store, held against one arrangement of servers. */
@ExtendWith(SharedServers.class)
abstract class StoreContracts extends TicketStoreContracts {

    final Servers servers;

    StoreContracts(Servers servers) {
        this.servers = servers;
    }

    @Override
    protected TicketStoreFixture newFixture() {
        return KitFixtures.tickets(servers);
    }

    @Nested
    class Outage extends OutageContract {
        @Override
        protected LockFixture newFixture() {
            return KitFixtures.guardedLocks(servers);
        }
    }
}
