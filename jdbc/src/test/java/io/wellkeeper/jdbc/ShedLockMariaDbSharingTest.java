package io.wellkeeper.jdbc;

import org.junit.jupiter.api.Tag;

@Tag("full")
class ShedLockMariaDbSharingTest extends ShedLockSharing {

    ShedLockMariaDbSharingTest(MariaDbServer server) {
        super(server);
    }
}
