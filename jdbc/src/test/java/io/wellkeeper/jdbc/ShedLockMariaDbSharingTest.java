package io.wellkeeper.jdbc;

class ShedLockMariaDbSharingTest extends ShedLockSharing {

    ShedLockMariaDbSharingTest(MariaDbServer server) {
        super(server);
    }
}
