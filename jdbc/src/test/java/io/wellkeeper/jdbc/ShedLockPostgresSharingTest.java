package io.wellkeeper.jdbc;

import org.junit.jupiter.api.Tag;

@Tag("full")
class ShedLockPostgresSharingTest extends ShedLockSharing {

    ShedLockPostgresSharingTest(PostgresServer server) {
        super(server);
    }
}
