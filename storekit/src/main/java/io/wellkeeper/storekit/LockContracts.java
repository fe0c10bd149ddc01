package io.wellkeeper.storekit;

import org.junit.jupiter.api.Nested;

/**
 * All contracts of locks. The test of a {@link io.wellkeeper.spi.TicketStore} extends this.
 *
 * @see TicketStoreContracts
 * @see FamilyContracts
 */
public abstract class LockContracts extends SimpleLockContracts {

    /** Called by the store's own test. */
    protected LockContracts() {}

    @Nested
    class Fairness extends FairnessContract {
        @Override
        protected LockFixture newFixture() throws Exception {
            return LockContracts.this.newFixture();
        }
    }

    @Nested
    class Break extends BreakContract {
        @Override
        protected LockFixture newFixture() throws Exception {
            return LockContracts.this.newFixture();
        }
    }

    @Nested
    class Burst extends BurstContract {
        @Override
        protected LockFixture newFixture() throws Exception {
            return LockContracts.this.newFixture();
        }
    }

    @Nested
    class Deadlock extends DeadlockContract {
        @Override
        protected LockFixture newFixture() throws Exception {
            return LockContracts.this.newFixture();
        }
    }

    @Nested
    class Revocation extends RevocationContract {
        @Override
        protected LockFixture newFixture() throws Exception {
            return LockContracts.this.newFixture();
        }
    }
}
