package io.wellkeeper.jdbc;

import io.wellkeeper.storekit.LockContracts;
import io.wellkeeper.storekit.LockFixture;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** PostgreSQL keeps every contract. */
class PostgresContractsTest extends StoreContracts {

    PostgresContractsTest(PostgresServer server) {
        super(server);
    }

    @Nested
    @Tag("full")
    class Locks extends LockContracts {
        @Override
        protected LockFixture newFixture() {
            return KitFixtures.locks(server);
        }
    }
}
