package io.wellkeeper.jdbc;

import io.wellkeeper.storekit.FamilyContracts;
import io.wellkeeper.storekit.LockFixture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/** What is made of queues keeps every contract over MariaDB. */
@Tag("full")
@ExtendWith(SharedServers.class)
class MariaDbFamilyTest extends FamilyContracts {

    private final MariaDbServer server;

    MariaDbFamilyTest(MariaDbServer server) {
        this.server = server;
    }

    @Override
    protected LockFixture newFixture() {
        return KitFixtures.locks(server);
    }
}
