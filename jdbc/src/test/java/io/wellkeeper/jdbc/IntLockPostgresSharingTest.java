package io.wellkeeper.jdbc;

import org.junit.jupiter.api.Tag;

@Tag("full")
class IntLockPostgresSharingTest extends IntLockSharing {

    IntLockPostgresSharingTest(PostgresServer server) {
        super(server);
    }
}
