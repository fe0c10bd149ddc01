package io.wellkeeper.jdbc;

class SqliteTroubleTest extends ServerTrouble {

    SqliteTroubleTest(SqliteServer server) {
        super(server);
    }
}
