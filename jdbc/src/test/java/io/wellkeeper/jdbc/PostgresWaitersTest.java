package io.wellkeeper.jdbc;

class PostgresWaitersTest extends ManyWaiters {

    PostgresWaitersTest(PostgresServer server) {
        super(server);
    }
}
