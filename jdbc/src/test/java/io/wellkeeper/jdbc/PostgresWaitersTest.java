package io.wellkeeper.jdbc;

import org.junit.jupiter.api.Tag;

@Tag("full")
class PostgresWaitersTest extends ManyWaiters {

    PostgresWaitersTest(PostgresServer server) {
        super(server);
    }
}
