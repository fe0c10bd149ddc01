package io.wellkeeper.jdbc;

import org.junit.jupiter.api.Tag;

@Tag("full")
class SqliteOutageTest extends Outages {

    SqliteOutageTest(SqliteServer server) {
        super(server);
    }
}
