package io.wellkeeper.storekit;

import org.junit.jupiter.api.Nested;

/**
 * Every contract of a lock, but those of order: for the test of a {@link io.wellkeeper.spi.LeaseStore} to extend.
 *
 * @see LeaseStoreContract
 */
public abstract class SimpleLockContracts {

    /** For the store's own test to call. */
    protected SimpleLockContracts() {}

    /** Clients of the store under test, for one test, which closes it. */
    protected abstract LockFixture newFixture() throws Exception;

    @Nested
    class Locks extends LockContract {
        @Override
        protected LockFixture newFixture() throws Exception {
            return SimpleLockContracts.this.newFixture();
        }
    }

    @Nested
    class Exclusion extends ExclusionContract {
        @Override
        protected LockFixture newFixture() throws Exception {
            return SimpleLockContracts.this.newFixture();
        }
    }

    @Nested
    class Loss extends LossContract {
        @Override
        protected LockFixture newFixture() throws Exception {
            return SimpleLockContracts.this.newFixture();
        }
    }

    @Nested
    class Async extends AsyncContract {
        @Override
        protected LockFixture newFixture() throws Exception {
            return SimpleLockContracts.this.newFixture();
        }
    }

    @Nested
    class LossNotice extends LossNoticeContract {
        @Override
        protected LockFixture newFixture() throws Exception {
            return SimpleLockContracts.this.newFixture();
        }
    }

    @Nested
    class UnrenewedLeases extends UnrenewedLeaseContract {
        @Override
        protected LockFixture newFixture() throws Exception {
            return SimpleLockContracts.this.newFixture();
        }
    }

    @Nested
    class BadInputs extends BadInputContract {
        @Override
        protected LockFixture newFixture() throws Exception {
            return SimpleLockContracts.this.newFixture();
        }
    }
}
