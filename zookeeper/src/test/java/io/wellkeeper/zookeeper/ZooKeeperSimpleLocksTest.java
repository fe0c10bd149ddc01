package io.wellkeeper.zookeeper;

import io.wellkeeper.storekit.LockFixture;
import io.wellkeeper.storekit.SimpleLockContracts;
import io.wellkeeper.testservers.ZooKeeperProcess;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/** Simple locks over ZooKeeper keep every contract but those of order. */
@Tag("full")
@ExtendWith(SharedServer.class)
class ZooKeeperSimpleLocksTest extends SimpleLockContracts {

    private final ZooKeeperProcess server;

    ZooKeeperSimpleLocksTest(ZooKeeperProcess server) {
        this.server = server;
    }

    @Override
    protected LockFixture newFixture() {
        return KitFixtures.simpleLocks(server);
    }
}
