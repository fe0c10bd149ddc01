package io.wellkeeper.jdbc;

class IntLockPostgresSharingTest extends IntLockSharing {

    IntLockPostgresSharingTest(PostgresServer server) {
        super(server);
    }
}
