package io.wellkeeper.jdbc;

class PostgresBurstTest extends Bursts {

    PostgresBurstTest(PostgresServer server) {
        super(server);
    }
}
