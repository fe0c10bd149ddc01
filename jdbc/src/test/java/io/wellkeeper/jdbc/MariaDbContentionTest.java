package io.wellkeeper.jdbc;

class MariaDbContentionTest extends Contention {

    MariaDbContentionTest(MariaDbServer server) {
        super(server);
    }
}
