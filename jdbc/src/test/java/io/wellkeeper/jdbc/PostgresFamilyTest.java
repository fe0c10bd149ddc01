package io.wellkeeper.jdbc;

import io.wellkeeper.storekit.FamilyContracts;
import io.wellkeeper.storekit.LockFixture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/** What is made of queues keeps every contract over PostgreSQL. */
@Tag("full")
@ExtendWith(SharedServers.class)
class PostgresFamilyTest extends FamilyContracts {

    private final PostgresServer server;

    PostgresFamilyTest(PostgresServer server) {
        this.server = server;
    }

    @Override
    protected LockFixture newFixture() {
        return KitFixtures.locks(server);
    }
}
