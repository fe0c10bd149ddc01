package io.wellkeeper.jdbc;

class LeaseTablePostgresTroublesTest extends LeaseTableTroubles {

    LeaseTablePostgresTroublesTest(PostgresServer server) {
        super(server);
    }
}
