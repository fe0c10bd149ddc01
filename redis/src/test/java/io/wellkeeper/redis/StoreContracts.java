package io.wellkeeper.redis;

import io.wellkeeper.testkit.LockFixture;
import io.wellkeeper.testkit.OutageContract;
import io.wellkeeper.testkit.TicketStoreContracts;
import io.wellkeeper.testkit.TicketStoreFixture;
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
