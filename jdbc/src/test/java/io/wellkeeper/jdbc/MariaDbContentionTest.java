package io.wellkeeper.jdbc;

import org.junit.jupiter.api.Tag;

@Tag("full")
class MariaDbContentionTest extends Contention {

    MariaDbContentionTest(MariaDbServer server) {
        super(server);
    }
}
