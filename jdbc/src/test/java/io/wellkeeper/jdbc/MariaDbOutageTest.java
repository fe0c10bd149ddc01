package io.wellkeeper.jdbc;

class MariaDbOutageTest extends Outages {

    MariaDbOutageTest(MariaDbServer server) {
        super(server);
    }
}
