package io.wellkeeper.jdbc;

import org.junit.jupiter.api.Tag;

@Tag("full")
class LeaseTableMariaDbTroublesTest extends LeaseTableTroubles {

    LeaseTableMariaDbTroublesTest(MariaDbServer server) {
        super(server);
    }
}
