package io.wellkeeper.jdbc;

import io.wellkeeper.storekit.FamilyContracts;
import io.wellkeeper.storekit.LockFixture;
import org.junit.jupiter.api.extension.ExtendWith;

/** What is made of queues keeps every contract over SQLite. */
@ExtendWith(SharedServers.class)
class SqliteFamilyTest extends FamilyContracts {

    private final SqliteServer server;

    SqliteFamilyTest(SqliteServer server) {
        this.server = server;
    }

    @Override
    protected LockFixture newFixture() {
        return KitFixtures.locks(server);
    }
}
