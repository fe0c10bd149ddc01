package io.wellkeeper.jdbc;

import io.wellkeeper.storekit.LockContracts;
import io.wellkeeper.storekit.LockFixture;
import org.junit.jupiter.api.Nested;

/** SQLite keeps every contract. */
class SqliteContractsTest extends StoreContracts {

    SqliteContractsTest(SqliteServer server) {
        super(server);
    }

    @Nested
    class Locks extends LockContracts {
        @Override
        protected LockFixture newFixture() {
            return KitFixtures.locks(server);
        }
    }
}
