package io.wellkeeper.jdbc;

class PostgresOutageTest extends Outages {

    PostgresOutageTest(PostgresServer server) {
        super(server);
    }
}
