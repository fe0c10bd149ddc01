package io.wellkeeper.jdbc;

class MariaDbWaitersTest extends ManyWaiters {

    MariaDbWaitersTest(MariaDbServer server) {
        super(server);
    }
}
