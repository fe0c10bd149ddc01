package io.wellkeeper.jdbc;

class PostgresTroubleTest extends ServerTrouble {

    PostgresTroubleTest(PostgresServer server) {
        super(server);
    }
}
