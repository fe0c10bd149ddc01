package io.wellkeeper.zookeeper;

import io.wellkeeper.testkit.BarrierContract;
import io.wellkeeper.testkit.BreakContract;
import io.wellkeeper.testkit.ConditionAsyncContract;
import io.wellkeeper.testkit.ConditionContract;
import io.wellkeeper.testkit.ConditionLossContract;
import io.wellkeeper.testkit.ConditionNamesContract;
import io.wellkeeper.testkit.DeadlockContract;
import io.wellkeeper.testkit.DowngradeContract;
import io.wellkeeper.testkit.ElectionContract;
import io.wellkeeper.testkit.LatchContract;
import io.wellkeeper.testkit.LockFixture;
import io.wellkeeper.testkit.MultiLockContract;
import io.wellkeeper.testkit.MultiLockLossContract;
import io.wellkeeper.testkit.MultiLockWaitingContract;
import io.wellkeeper.testkit.ReadWriteFairnessContract;
import io.wellkeeper.testkit.ReadWriteHandleContract;
import io.wellkeeper.testkit.ReadWriteLockContract;
import io.wellkeeper.testkit.ReadWriteLossContract;
import io.wellkeeper.testkit.ReadWriteWaitingContract;
import io.wellkeeper.testkit.RevocationContract;
import io.wellkeeper.testkit.SemaphoreContract;
import io.wellkeeper.testkit.SemaphoreLossContract;
import io.wellkeeper.testkit.SemaphoreResizeContract;
import io.wellkeeper.testkit.SemaphoreWaitingContract;
import io.wellkeeper.testkit.process.ZooKeeperProcess;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.extension.ExtendWith;

/** Everything that is made of queues keeps its contract over ZooKeeper. */
@ExtendWith(SharedServer.class)
class ZooKeeperFamilyTest {

    private final ZooKeeperProcess server;

    ZooKeeperFamilyTest(ZooKeeperProcess server) {
        this.server = server;
    }

    @Nested
    class Barrier extends BarrierContract {
        @Override
        protected LockFixture newFixture() {
            return KitFixtures.locks(server);
        }
    }

    @Nested
    class Break extends BreakContract {
        @Override
        protected LockFixture newFixture() {
            return KitFixtures.locks(server);
        }
    }

    @Nested
    class Condition extends ConditionContract {
        @Override
        protected LockFixture newFixture() {
            return KitFixtures.locks(server);
        }
    }

    @Nested
    class ConditionAsync extends ConditionAsyncContract {
        @Override
        protected LockFixture newFixture() {
            return KitFixtures.locks(server);
        }
    }

    @Nested
    class ConditionLoss extends ConditionLossContract {
        @Override
        protected LockFixture newFixture() {
            return KitFixtures.locks(server);
        }
    }

    @Nested
    class ConditionNames extends ConditionNamesContract {
        @Override
        protected LockFixture newFixture() {
            return KitFixtures.locks(server);
        }
    }

    @Nested
    class Deadlock extends DeadlockContract {
        @Override
        protected LockFixture newFixture() {
            return KitFixtures.locks(server);
        }
    }

    @Nested
    class Downgrade extends DowngradeContract {
        @Override
        protected LockFixture newFixture() {
            return KitFixtures.locks(server);
        }
    }

    @Nested
    class Election extends ElectionContract {
        @Override
        protected LockFixture newFixture() {
            return KitFixtures.locks(server);
        }
    }

    @Nested
    class Latch extends LatchContract {
        @Override
        protected LockFixture newFixture() {
            return KitFixtures.locks(server);
        }
    }

    @Nested
    class MultiLock extends MultiLockContract {
        @Override
        protected LockFixture newFixture() {
            return KitFixtures.locks(server);
        }
    }

    @Nested
    class MultiLockLoss extends MultiLockLossContract {
        @Override
        protected LockFixture newFixture() {
            return KitFixtures.locks(server);
        }
    }

    @Nested
    class MultiLockWaiting extends MultiLockWaitingContract {
        @Override
        protected LockFixture newFixture() {
            return KitFixtures.locks(server);
        }
    }

    @Nested
    class ReadWriteFairness extends ReadWriteFairnessContract {
        @Override
        protected LockFixture newFixture() {
            return KitFixtures.locks(server);
        }
    }

    @Nested
    class ReadWriteHandle extends ReadWriteHandleContract {
        @Override
        protected LockFixture newFixture() {
            return KitFixtures.locks(server);
        }
    }

    @Nested
    class ReadWriteLock extends ReadWriteLockContract {
        @Override
        protected LockFixture newFixture() {
            return KitFixtures.locks(server);
        }
    }

    @Nested
    class ReadWriteLoss extends ReadWriteLossContract {
        @Override
        protected LockFixture newFixture() {
            return KitFixtures.locks(server);
        }
    }

    @Nested
    class ReadWriteWaiting extends ReadWriteWaitingContract {
        @Override
        protected LockFixture newFixture() {
            return KitFixtures.locks(server);
        }
    }

    @Nested
    class Revocation extends RevocationContract {
        @Override
        protected LockFixture newFixture() {
            return KitFixtures.locks(server);
        }
    }

    @Nested
    class Semaphore extends SemaphoreContract {
        @Override
        protected LockFixture newFixture() {
            return KitFixtures.locks(server);
        }
    }

    @Nested
    class SemaphoreLoss extends SemaphoreLossContract {
        @Override
        protected LockFixture newFixture() {
            return KitFixtures.locks(server);
        }
    }

    @Nested
    class SemaphoreResize extends SemaphoreResizeContract {
        @Override
        protected LockFixture newFixture() {
            return KitFixtures.locks(server);
        }
    }

    @Nested
    class SemaphoreWaiting extends SemaphoreWaitingContract {
        @Override
        protected LockFixture newFixture() {
            return KitFixtures.locks(server);
        }
    }
}
