package io.wellkeeper.jdbc;

import org.junit.jupiter.api.Tag;

@Tag("full")
class PostgresOutageTest extends Outages {

    PostgresOutageTest(PostgresServer server) {
        super(server);
    }
}
