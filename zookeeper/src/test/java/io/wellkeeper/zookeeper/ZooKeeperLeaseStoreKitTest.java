package io.wellkeeper.zookeeper;

import io.wellkeeper.storekit.LeaseStoreContract;
import io.wellkeeper.storekit.LeaseStoreFixture;
import io.wellkeeper.testservers.ZooKeeperProcess;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.extension.ExtendWith;

/** The lease store keeps its law. */
@ExtendWith(SharedServer.class)
class ZooKeeperLeaseStoreKitTest {

    private final ZooKeeperProcess server;

    ZooKeeperLeaseStoreKitTest(ZooKeeperProcess server) {
        this.server = server;
    }

    @Nested
    class Leases extends LeaseStoreContract {
        @Override
        protected LeaseStoreFixture newFixture() {
            return KitFixtures.leases(server);
        }
    }
}
