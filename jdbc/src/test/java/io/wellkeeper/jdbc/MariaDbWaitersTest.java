package io.wellkeeper.jdbc;

import org.junit.jupiter.api.Tag;

@Tag("full")
class MariaDbWaitersTest extends ManyWaiters {

    MariaDbWaitersTest(MariaDbServer server) {
        super(server);
    }
}
