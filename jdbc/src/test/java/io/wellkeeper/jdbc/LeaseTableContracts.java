package io.wellkeeper.jdbc;

import io.wellkeeper.storekit.LeaseStoreContract;
import io.wellkeeper.storekit.LeaseStoreFixture;
import io.wellkeeper.storekit.LockFixture;
import io.wellkeeper.storekit.SimpleLockContracts;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.extension.ExtendWith;

/** The law of leases, held against one layout of tables. */
@ExtendWith(SharedServers.class)
abstract class LeaseTableContracts {

    /** The store under test, for one test. */
    abstract LeaseTableKit kit();

    @Nested
    class Leases extends LeaseStoreContract {
        @Override
        protected LeaseStoreFixture newFixture() {
            return kit().leases();
        }
    }

    /** Every contract of locks but those of order. */
    abstract class LockContracts extends SimpleLockContracts {
        @Override
        protected LockFixture newFixture() {
            return kit().locks();
        }
    }
}
