package io.wellkeeper.zookeeper;

import io.wellkeeper.testkit.TicketStoreContracts;
import io.wellkeeper.testkit.TicketStoreFixture;
import io.wellkeeper.testkit.process.ZooKeeperProcess;
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
