package io.wellkeeper.zookeeper;

import io.wellkeeper.storekit.FamilyContracts;
import io.wellkeeper.storekit.LockFixture;
import io.wellkeeper.testservers.ZooKeeperProcess;
import org.junit.jupiter.api.extension.ExtendWith;

/** What is made of queues keeps every contract over ZooKeeper. */
@ExtendWith(SharedServer.class)
class ZooKeeperFamilyTest extends FamilyContracts {

    private final ZooKeeperProcess server;

    ZooKeeperFamilyTest(ZooKeeperProcess server) {
        this.server = server;
    }

    @Override
    protected LockFixture newFixture() {
        return KitFixtures.locks(server);
    }
}
