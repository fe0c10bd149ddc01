package io.wellkeeper.jdbc;

import org.junit.jupiter.api.Tag;

@Tag("full")
class MariaDbTroubleTest extends ServerTrouble {

    MariaDbTroubleTest(MariaDbServer server) {
        super(server);
    }
}
