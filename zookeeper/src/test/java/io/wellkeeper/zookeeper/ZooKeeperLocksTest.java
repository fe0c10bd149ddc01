package io.wellkeeper.zookeeper;

import io.wellkeeper.storekit.LockContracts;
import io.wellkeeper.storekit.LockFixture;
import io.wellkeeper.testservers.ZooKeeperProcess;
import org.junit.jupiter.api.extension.ExtendWith;

/** Locks over ZooKeeper keep every contract. */
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
