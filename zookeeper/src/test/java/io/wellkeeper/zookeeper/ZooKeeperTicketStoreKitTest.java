package io.wellkeeper.zookeeper;

import io.wellkeeper.storekit.TicketStoreContracts;
import io.wellkeeper.storekit.TicketStoreFixture;
import io.wellkeeper.testservers.ZooKeeperProcess;
import org.junit.jupiter.api.extension.ExtendWith;

/** The ticket store keeps the laws. */
@ExtendWith(SharedServer.class)
class ZooKeeperTicketStoreKitTest extends TicketStoreContracts {

    private final ZooKeeperProcess server;

    ZooKeeperTicketStoreKitTest(ZooKeeperProcess server) {
        this.server = server;
    }

    @Override
    protected TicketStoreFixture newFixture() {
        return KitFixtures.tickets(server);
    }
}
