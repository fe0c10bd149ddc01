package io.wellkeeper.jdbc;

class MariaDbBurstTest extends Bursts {

    MariaDbBurstTest(MariaDbServer server) {
        super(server);
    }
}
