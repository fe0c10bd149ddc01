package io.wellkeeper.jdbc;

import org.junit.jupiter.api.Tag;

@Tag("full")
class PostgresContentionTest extends Contention {

    PostgresContentionTest(PostgresServer server) {
        super(server);
    }
}
