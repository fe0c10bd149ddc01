package io.wellkeeper.testkit;

import org.junit.jupiter.api.Nested;

/** Locks over queues keep every contract. */
class InMemoryLocksTest {

    @Nested
    class Locks extends LockContract {
        @Override
        protected LockFixture newFixture() {
            return new InMemoryLockFixture();
        }
    }

    @Nested
    class Exclusion extends ExclusionContract {
        @Override
        protected LockFixture newFixture() {
            return new InMemoryLockFixture();
        }
    }

    @Nested
    class Loss extends LossContract {
        @Override
        protected LockFixture newFixture() {
            return new InMemoryLockFixture();
        }
    }

    @Nested
    class Async extends AsyncContract {
        @Override
        protected LockFixture newFixture() {
            return new InMemoryLockFixture();
        }
    }

    @Nested
    class Fairness extends FairnessContract {
        @Override
        protected LockFixture newFixture() {
            return new InMemoryLockFixture();
        }
    }

    @Nested
    class LossNotice extends LossNoticeContract {
        @Override
        protected LockFixture newFixture() {
            return new InMemoryLockFixture();
        }
    }

    @Nested
    class Outage extends OutageContract {
        @Override
        protected LockFixture newFixture() {
            return new InMemoryLockFixture();
        }
    }

    @Nested
    class UnrenewedLeases extends UnrenewedLeaseContract {
        @Override
        protected LockFixture newFixture() {
            return new InMemoryLockFixture();
        }
    }
}
