package io.wellkeeper.jdbc;

class MariaDbTroubleTest extends ServerTrouble {

    MariaDbTroubleTest(MariaDbServer server) {
        super(server);
    }
}
