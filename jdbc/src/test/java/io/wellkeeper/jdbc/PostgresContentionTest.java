package io.wellkeeper.jdbc;

class PostgresContentionTest extends Contention {

    PostgresContentionTest(PostgresServer server) {
        super(server);
    }
}
