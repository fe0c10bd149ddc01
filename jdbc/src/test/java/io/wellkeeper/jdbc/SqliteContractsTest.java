package io.wellkeeper.jdbc;

import io.wellkeeper.testkit.LockContracts;
import io.wellkeeper.testkit.LockFixture;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** SQLite keeps every contract. */
class SqliteContractsTest extends StoreContracts {

    SqliteContractsTest(SqliteServer server) {
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
