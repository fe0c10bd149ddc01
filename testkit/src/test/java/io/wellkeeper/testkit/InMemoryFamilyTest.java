package io.wellkeeper.testkit;

import org.junit.jupiter.api.Nested;

/** Everything that is made of queues keeps its contract. */
class InMemoryFamilyTest {

    @Nested
    class Barrier extends BarrierContract {
        @Override
        protected LockFixture newFixture() {
            return new InMemoryLockFixture();
        }
    }

    @Nested
    class Break extends BreakContract {
        @Override
        protected LockFixture newFixture() {
            return new InMemoryLockFixture();
        }
    }

    @Nested
    class Condition extends ConditionContract {
        @Override
        protected LockFixture newFixture() {
            return new InMemoryLockFixture();
        }
    }

    @Nested
    class ConditionAsync extends ConditionAsyncContract {
        @Override
        protected LockFixture newFixture() {
            return new InMemoryLockFixture();
        }
    }

    @Nested
    class ConditionLoss extends ConditionLossContract {
        @Override
        protected LockFixture newFixture() {
            return new InMemoryLockFixture();
        }
    }

    @Nested
    class ConditionNames extends ConditionNamesContract {
        @Override
        protected LockFixture newFixture() {
            return new InMemoryLockFixture();
        }
    }

    @Nested
    class Deadlock extends DeadlockContract {
        @Override
        protected LockFixture newFixture() {
            return new InMemoryLockFixture();
        }
    }

    @Nested
    class Downgrade extends DowngradeContract {
        @Override
        protected LockFixture newFixture() {
            return new InMemoryLockFixture();
        }
    }

    @Nested
    class Election extends ElectionContract {
        @Override
        protected LockFixture newFixture() {
            return new InMemoryLockFixture();
        }
    }

    @Nested
    class Latch extends LatchContract {
        @Override
        protected LockFixture newFixture() {
            return new InMemoryLockFixture();
        }
    }

    @Nested
    class MultiLock extends MultiLockContract {
        @Override
        protected LockFixture newFixture() {
            return new InMemoryLockFixture();
        }
    }

    @Nested
    class MultiLockLoss extends MultiLockLossContract {
        @Override
        protected LockFixture newFixture() {
            return new InMemoryLockFixture();
        }
    }

    @Nested
    class MultiLockWaiting extends MultiLockWaitingContract {
        @Override
        protected LockFixture newFixture() {
            return new InMemoryLockFixture();
        }
    }

    @Nested
    class ReadWriteFairness extends ReadWriteFairnessContract {
        @Override
        protected LockFixture newFixture() {
            return new InMemoryLockFixture();
        }
    }

    @Nested
    class ReadWriteHandle extends ReadWriteHandleContract {
        @Override
        protected LockFixture newFixture() {
            return new InMemoryLockFixture();
        }
    }

    @Nested
    class ReadWriteLock extends ReadWriteLockContract {
        @Override
        protected LockFixture newFixture() {
            return new InMemoryLockFixture();
        }
    }

    @Nested
    class ReadWriteLoss extends ReadWriteLossContract {
        @Override
        protected LockFixture newFixture() {
            return new InMemoryLockFixture();
        }
    }

    @Nested
    class ReadWriteWaiting extends ReadWriteWaitingContract {
        @Override
        protected LockFixture newFixture() {
            return new InMemoryLockFixture();
        }
    }

    @Nested
    class Revocation extends RevocationContract {
        @Override
        protected LockFixture newFixture() {
            return new InMemoryLockFixture();
        }
    }

    @Nested
    class Semaphore extends SemaphoreContract {
        @Override
        protected LockFixture newFixture() {
            return new InMemoryLockFixture();
        }
    }

    @Nested
    class SemaphoreLoss extends SemaphoreLossContract {
        @Override
        protected LockFixture newFixture() {
            return new InMemoryLockFixture();
        }
    }

    @Nested
    class SemaphoreResize extends SemaphoreResizeContract {
        @Override
        protected LockFixture newFixture() {
            return new InMemoryLockFixture();
        }
    }

    @Nested
    class SemaphoreWaiting extends SemaphoreWaitingContract {
        @Override
        protected LockFixture newFixture() {
            return new InMemoryLockFixture();
        }
    }
}
