package io.wellkeeper.testkit;

import org.junit.jupiter.api.Nested;

/** Simple locks keep every contract but those of order. */
class InMemorySimpleLocksTest {

    @Nested
    class Locks extends LockContract {
        @Override
        protected LockFixture newFixture() {
            return new InMemorySimpleLockFixture();
        }
    }

    @Nested
    class Exclusion extends ExclusionContract {
        @Override
        protected LockFixture newFixture() {
            return new InMemorySimpleLockFixture();
        }
    }

    @Nested
    class Loss extends LossContract {
        @Override
        protected LockFixture newFixture() {
            return new InMemorySimpleLockFixture();
        }
    }

    @Nested
    class Async extends AsyncContract {
        @Override
        protected LockFixture newFixture() {
            return new InMemorySimpleLockFixture();
        }
    }

    @Nested
    class LossNotice extends LossNoticeContract {
        @Override
        protected LockFixture newFixture() {
            return new InMemorySimpleLockFixture();
        }
    }

    @Nested
    class UnrenewedLeases extends UnrenewedLeaseContract {
        @Override
        protected LockFixture newFixture() {
            return new InMemorySimpleLockFixture();
        }
    }
}
