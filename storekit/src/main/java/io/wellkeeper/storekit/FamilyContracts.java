package io.wellkeeper.storekit;

import org.junit.jupiter.api.Nested;

/**
 * All contracts of the primitives beside the lock that are made of queues: read-write locks, semaphores, multi-locks,
 * conditions, barriers, latches and elections. The test of a {@link io.wellkeeper.spi.TicketStore} extends this.
 *
 * @see LockContracts
 */
public abstract class FamilyContracts {

    /** Called by the store's own test. */
    protected FamilyContracts() {}

    /**
     * Makes the fixture of one test.
     *
     * @return clients of the store under test; closed after the test
     * @throws Exception if the store cannot be used
     */
    protected abstract LockFixture newFixture() throws Exception;

    @Nested
    class Barrier extends BarrierContract {
        @Override
        protected LockFixture newFixture() throws Exception {
            return FamilyContracts.this.newFixture();
        }
    }

    @Nested
    class Condition extends ConditionContract {
        @Override
        protected LockFixture newFixture() throws Exception {
            return FamilyContracts.this.newFixture();
        }
    }

    @Nested
    class ConditionAsync extends ConditionAsyncContract {
        @Override
        protected LockFixture newFixture() throws Exception {
            return FamilyContracts.this.newFixture();
        }
    }

    @Nested
    class ConditionLoss extends ConditionLossContract {
        @Override
        protected LockFixture newFixture() throws Exception {
            return FamilyContracts.this.newFixture();
        }
    }

    @Nested
    class ConditionNames extends ConditionNamesContract {
        @Override
        protected LockFixture newFixture() throws Exception {
            return FamilyContracts.this.newFixture();
        }
    }

    @Nested
    class Downgrade extends DowngradeContract {
        @Override
        protected LockFixture newFixture() throws Exception {
            return FamilyContracts.this.newFixture();
        }
    }

    @Nested
    class Election extends ElectionContract {
        @Override
        protected LockFixture newFixture() throws Exception {
            return FamilyContracts.this.newFixture();
        }
    }

    @Nested
    class Latch extends LatchContract {
        @Override
        protected LockFixture newFixture() throws Exception {
            return FamilyContracts.this.newFixture();
        }
    }

    @Nested
    class MultiLock extends MultiLockContract {
        @Override
        protected LockFixture newFixture() throws Exception {
            return FamilyContracts.this.newFixture();
        }
    }

    @Nested
    class MultiLockLoss extends MultiLockLossContract {
        @Override
        protected LockFixture newFixture() throws Exception {
            return FamilyContracts.this.newFixture();
        }
    }

    @Nested
    class MultiLockWaiting extends MultiLockWaitingContract {
        @Override
        protected LockFixture newFixture() throws Exception {
            return FamilyContracts.this.newFixture();
        }
    }

    @Nested
    class ReadWriteFairness extends ReadWriteFairnessContract {
        @Override
        protected LockFixture newFixture() throws Exception {
            return FamilyContracts.this.newFixture();
        }
    }

    @Nested
    class ReadWriteHandle extends ReadWriteHandleContract {
        @Override
        protected LockFixture newFixture() throws Exception {
            return FamilyContracts.this.newFixture();
        }
    }

    @Nested
    class ReadWriteLock extends ReadWriteLockContract {
        @Override
        protected LockFixture newFixture() throws Exception {
            return FamilyContracts.this.newFixture();
        }
    }

    @Nested
    class ReadWriteLoss extends ReadWriteLossContract {
        @Override
        protected LockFixture newFixture() throws Exception {
            return FamilyContracts.this.newFixture();
        }
    }

    @Nested
    class ReadWriteWaiting extends ReadWriteWaitingContract {
        @Override
        protected LockFixture newFixture() throws Exception {
            return FamilyContracts.this.newFixture();
        }
    }

    @Nested
    class Semaphore extends SemaphoreContract {
        @Override
        protected LockFixture newFixture() throws Exception {
            return FamilyContracts.this.newFixture();
        }
    }

    @Nested
    class SemaphoreLoss extends SemaphoreLossContract {
        @Override
        protected LockFixture newFixture() throws Exception {
            return FamilyContracts.this.newFixture();
        }
    }

    @Nested
    class SemaphoreResize extends SemaphoreResizeContract {
        @Override
        protected LockFixture newFixture() throws Exception {
            return FamilyContracts.this.newFixture();
        }
    }

    @Nested
    class SemaphoreWaiting extends SemaphoreWaitingContract {
        @Override
        protected LockFixture newFixture() throws Exception {
            return FamilyContracts.this.newFixture();
        }
    }
}
