package io.wellkeeper.zookeeper;

import io.wellkeeper.testkit.AsyncContract;
import io.wellkeeper.testkit.ExclusionContract;
import io.wellkeeper.testkit.LockContract;
import io.wellkeeper.testkit.LockFixture;
import io.wellkeeper.testkit.LossContract;
import io.wellkeeper.testkit.LossNoticeContract;
import io.wellkeeper.testkit.UnrenewedLeaseContract;
import io.wellkeeper.testkit.process.ZooKeeperProcess;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.extension.ExtendWith;

/** Simple locks over ZooKeeper keep every contract but those of order. */
@ExtendWith(SharedServer.class)
class ZooKeeperSimpleLocksTest {

    private final ZooKeeperProcess server;

    ZooKeeperSimpleLocksTest(ZooKeeperProcess server) {
        this.server = server;
    }

    @Nested
    class Locks extends LockContract {
        @Override
        protected LockFixture newFixture() {
            return KitFixtures.simpleLocks(server);
        }
    }

    @Nested
    class Exclusion extends ExclusionContract {
        @Override
        protected LockFixture newFixture() {
            return KitFixtures.simpleLocks(server);
        }
    }

    @Nested
    class Loss extends LossContract {
        @Override
        protected LockFixture newFixture() {
            return KitFixtures.simpleLocks(server);
        }
    }

    @Nested
    class Async extends AsyncContract {
        @Override
        protected LockFixture newFixture() {
            return KitFixtures.simpleLocks(server);
        }
    }

    @Nested
    class LossNotice extends LossNoticeContract {
        @Override
        protected LockFixture newFixture() {
            return KitFixtures.simpleLocks(server);
        }
    }

    @Nested
    class UnrenewedLeases extends UnrenewedLeaseContract {
        @Override
        protected LockFixture newFixture() {
            return KitFixtures.simpleLocks(server);
        }
    }
}
