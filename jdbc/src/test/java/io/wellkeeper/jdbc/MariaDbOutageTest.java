package io.wellkeeper.jdbc;

import org.junit.jupiter.api.Tag;

@Tag("full")
class MariaDbOutageTest extends Outages {

    MariaDbOutageTest(MariaDbServer server) {
        super(server);
    }
}
