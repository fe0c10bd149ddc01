package io.wellkeeper.jdbc;

class IntLockMariaDbSharingTest extends IntLockSharing {

    IntLockMariaDbSharingTest(MariaDbServer server) {
        super(server);
    }
}
