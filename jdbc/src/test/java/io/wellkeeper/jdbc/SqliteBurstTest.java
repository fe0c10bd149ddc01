package io.wellkeeper.jdbc;

class SqliteBurstTest extends Bursts {

    SqliteBurstTest(SqliteServer server) {
        super(server);
    }
}
