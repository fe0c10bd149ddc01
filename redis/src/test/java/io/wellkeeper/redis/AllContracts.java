package io.wellkeeper.redis;

import io.wellkeeper.testkit.AsyncContract;
import io.wellkeeper.testkit.BarrierContract;
import io.wellkeeper.testkit.BreakContract;
import io.wellkeeper.testkit.ConditionAsyncContract;
import io.wellkeeper.testkit.ConditionContract;
import io.wellkeeper.testkit.ConditionLossContract;
import io.wellkeeper.testkit.ConditionNamesContract;
import io.wellkeeper.testkit.DeadlockContract;
import io.wellkeeper.testkit.DowngradeContract;
import io.wellkeeper.testkit.ElectionContract;
import io.wellkeeper.testkit.ExclusionContract;
import io.wellkeeper.testkit.FairnessContract;
import io.wellkeeper.testkit.LatchContract;
import io.wellkeeper.testkit.LockContract;
import io.wellkeeper.testkit.LockFixture;
import io.wellkeeper.testkit.LossContract;
import io.wellkeeper.testkit.LossNoticeContract;
import io.wellkeeper.testkit.MultiLockContract;
import io.wellkeeper.testkit.MultiLockLossContract;
import io.wellkeeper.testkit.MultiLockWaitingContract;
import io.wellkeeper.testkit.NoticeContract;
import io.wellkeeper.testkit.OutageContract;
import io.wellkeeper.testkit.ReadWriteFairnessContract;
import io.wellkeeper.testkit.ReadWriteHandleContract;
import io.wellkeeper.testkit.ReadWriteLockContract;
import io.wellkeeper.testkit.ReadWriteLossContract;
import io.wellkeeper.testkit.ReadWriteWaitingContract;
import io.wellkeeper.testkit.ReplacementContract;
import io.wellkeeper.testkit.RevocationContract;
import io.wellkeeper.testkit.SemaphoreContract;
import io.wellkeeper.testkit.SemaphoreLossContract;
import io.wellkeeper.testkit.SemaphoreResizeContract;
import io.wellkeeper.testkit.SemaphoreWaitingContract;
import io.wellkeeper.testkit.TicketQueueContract;
import io.wellkeeper.testkit.TicketStoreContract;
import io.wellkeeper.testkit.TicketStoreFixture;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.extension.ExtendWith;

/** Every contract, held against one arrangement of servers. */
@ExtendWith(SharedServers.class)
abstract class AllContracts {

    private final Servers servers;

    AllContracts(Servers servers) {
        this.servers = servers;
    }

    @Nested
    class Tickets extends TicketStoreContract {
        @Override
        protected TicketStoreFixture newFixture() {
            return KitFixtures.tickets(servers);
        }
    }

    @Nested
    class Queues extends TicketQueueContract {
        @Override
        protected TicketStoreFixture newFixture() {
            return KitFixtures.tickets(servers);
        }
    }

    @Nested
    class Replacements extends ReplacementContract {
        @Override
        protected TicketStoreFixture newFixture() {
            return KitFixtures.tickets(servers);
        }
    }

    @Nested
    class Notices extends NoticeContract {
        @Override
        protected TicketStoreFixture newFixture() {
            return KitFixtures.tickets(servers);
        }
    }

    @Nested
    class Locks extends LockContract {
        @Override
        protected LockFixture newFixture() {
            return KitFixtures.locks(servers);
        }
    }

    @Nested
    class Exclusion extends ExclusionContract {
        @Override
        protected LockFixture newFixture() {
            return KitFixtures.locks(servers);
        }
    }

    @Nested
    class Loss extends LossContract {
        @Override
        protected LockFixture newFixture() {
            return KitFixtures.locks(servers);
        }
    }

    @Nested
    class Async extends AsyncContract {
        @Override
        protected LockFixture newFixture() {
            return KitFixtures.locks(servers);
        }
    }

    @Nested
    class Fairness extends FairnessContract {
        @Override
        protected LockFixture newFixture() {
            return KitFixtures.locks(servers);
        }
    }

    @Nested
    class LossNotice extends LossNoticeContract {
        @Override
        protected LockFixture newFixture() {
            return KitFixtures.locks(servers);
        }
    }

    @Nested
    class Barrier extends BarrierContract {
        @Override
        protected LockFixture newFixture() {
            return KitFixtures.locks(servers);
        }
    }

    @Nested
    class Break extends BreakContract {
        @Override
        protected LockFixture newFixture() {
            return KitFixtures.locks(servers);
        }
    }

    @Nested
    class Condition extends ConditionContract {
        @Override
        protected LockFixture newFixture() {
            return KitFixtures.locks(servers);
        }
    }

    @Nested
    class ConditionAsync extends ConditionAsyncContract {
        @Override
        protected LockFixture newFixture() {
            return KitFixtures.locks(servers);
        }
    }

    @Nested
    class ConditionLoss extends ConditionLossContract {
        @Override
        protected LockFixture newFixture() {
            return KitFixtures.locks(servers);
        }
    }

    @Nested
    class ConditionNames extends ConditionNamesContract {
        @Override
        protected LockFixture newFixture() {
            return KitFixtures.locks(servers);
        }
    }

    @Nested
    class Deadlock extends DeadlockContract {
        @Override
        protected LockFixture newFixture() {
            return KitFixtures.locks(servers);
        }
    }

    @Nested
    class Downgrade extends DowngradeContract {
        @Override
        protected LockFixture newFixture() {
            return KitFixtures.locks(servers);
        }
    }

    @Nested
    class Election extends ElectionContract {
        @Override
        protected LockFixture newFixture() {
            return KitFixtures.locks(servers);
        }
    }

    @Nested
    class Latch extends LatchContract {
        @Override
        protected LockFixture newFixture() {
            return KitFixtures.locks(servers);
        }
    }

    @Nested
    class MultiLock extends MultiLockContract {
        @Override
        protected LockFixture newFixture() {
            return KitFixtures.locks(servers);
        }
    }

    @Nested
    class MultiLockLoss extends MultiLockLossContract {
        @Override
        protected LockFixture newFixture() {
            return KitFixtures.locks(servers);
        }
    }

    @Nested
    class MultiLockWaiting extends MultiLockWaitingContract {
        @Override
        protected LockFixture newFixture() {
            return KitFixtures.locks(servers);
        }
    }

    @Nested
    class Outage extends OutageContract {
        @Override
        protected LockFixture newFixture() {
            return KitFixtures.guardedLocks(servers);
        }
    }

    @Nested
    class ReadWriteFairness extends ReadWriteFairnessContract {
        @Override
        protected LockFixture newFixture() {
            return KitFixtures.locks(servers);
        }
    }

    @Nested
    class ReadWriteHandle extends ReadWriteHandleContract {
        @Override
        protected LockFixture newFixture() {
            return KitFixtures.locks(servers);
        }
    }

    @Nested
    class ReadWriteLock extends ReadWriteLockContract {
        @Override
        protected LockFixture newFixture() {
            return KitFixtures.locks(servers);
        }
    }

    @Nested
    class ReadWriteLoss extends ReadWriteLossContract {
        @Override
        protected LockFixture newFixture() {
            return KitFixtures.locks(servers);
        }
    }

    @Nested
    class ReadWriteWaiting extends ReadWriteWaitingContract {
        @Override
        protected LockFixture newFixture() {
            return KitFixtures.locks(servers);
        }
    }

    @Nested
    class Revocation extends RevocationContract {
        @Override
        protected LockFixture newFixture() {
            return KitFixtures.locks(servers);
        }
    }

    @Nested
    class Semaphore extends SemaphoreContract {
        @Override
        protected LockFixture newFixture() {
            return KitFixtures.locks(servers);
        }
    }

    @Nested
    class SemaphoreLoss extends SemaphoreLossContract {
        @Override
        protected LockFixture newFixture() {
            return KitFixtures.locks(servers);
        }
    }

    @Nested
    class SemaphoreResize extends SemaphoreResizeContract {
        @Override
        protected LockFixture newFixture() {
            return KitFixtures.locks(servers);
        }
    }

    @Nested
    class SemaphoreWaiting extends SemaphoreWaitingContract {
        @Override
        protected LockFixture newFixture() {
            return KitFixtures.locks(servers);
        }
    }
}
