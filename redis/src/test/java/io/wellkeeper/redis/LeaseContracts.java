package io.wellkeeper.redis;

import io.wellkeeper.storekit.LeaseStoreContract;
import io.wellkeeper.storekit.LeaseStoreFixture;
import io.wellkeeper.storekit.LockFixture;
import io.wellkeeper.storekit.SimpleLockContracts;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.extension.ExtendWith;

/** The law of leases, held against one arrangement of servers. */
@ExtendWith(SharedServers.class)
abstract class LeaseContracts {

    /** The store under test, for one test. */
    abstract LeaseKit kit();

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
