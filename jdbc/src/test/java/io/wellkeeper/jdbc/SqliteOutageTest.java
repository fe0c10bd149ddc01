package io.wellkeeper.jdbc;

class SqliteOutageTest extends Outages {

    SqliteOutageTest(SqliteServer server) {
        super(server);
    }
}
