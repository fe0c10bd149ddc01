package io.wellkeeper.jdbc;

class LeaseTableMariaDbTroublesTest extends LeaseTableTroubles {

    LeaseTableMariaDbTroublesTest(MariaDbServer server) {
        super(server);
    }
}
