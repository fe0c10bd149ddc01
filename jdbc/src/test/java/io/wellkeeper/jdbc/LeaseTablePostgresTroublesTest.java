package io.wellkeeper.jdbc;

import org.junit.jupiter.api.Tag;

@Tag("full")
class LeaseTablePostgresTroublesTest extends LeaseTableTroubles {

    LeaseTablePostgresTroublesTest(PostgresServer server) {
        super(server);
    }
}
