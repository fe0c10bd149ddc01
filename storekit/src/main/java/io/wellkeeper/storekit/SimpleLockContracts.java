package io.wellkeeper.storekit;

import org.junit.jupiter.api.Nested;

/**
 * All contracts of a lock, except for those of order. The test of a {@link io.wellkeeper.spi.LeaseStore} extends this.
 *
 * @see LeaseStoreContract
 */
public abstract class SimpleLockContracts {

    /** Called by the store's own test. */
    protected SimpleLockContracts() {}

    /**
     * Makes the fixture of one test.
     *
     * @return clients of the store under test; closed after the test
     * @throws Exception if the store cannot be used
     */
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
