package io.wellkeeper.zookeeper;

import io.wellkeeper.testkit.LockContracts;
import io.wellkeeper.testkit.LockFixture;
import io.wellkeeper.testkit.process.ZooKeeperProcess;
import org.junit.jupiter.api.extension.ExtendWith;

/** Locks over ZooKeeper, and all that is made of queues, keep every contract. */
@ExtendWith(SharedServer.class)
class ZooKeeperLocksTest extends LockContracts {

    private final ZooKeeperProcess server;

    ZooKeeperLocksTest(ZooKeeperProcess server) {
        this.server = server;
    }

    @Override
    protected LockFixture newFixture() {
        return KitFixtures.locks(server);
    }
}
