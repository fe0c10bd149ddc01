package io.wellkeeper.jdbc;

import org.junit.jupiter.api.Tag;

@Tag("full")
class IntLockMariaDbSharingTest extends IntLockSharing {

    IntLockMariaDbSharingTest(MariaDbServer server) {
        super(server);
    }
}
