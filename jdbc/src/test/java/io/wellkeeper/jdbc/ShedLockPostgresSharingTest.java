package io.wellkeeper.jdbc;

class ShedLockPostgresSharingTest extends ShedLockSharing {

    ShedLockPostgresSharingTest(PostgresServer server) {
        super(server);
    }
}
