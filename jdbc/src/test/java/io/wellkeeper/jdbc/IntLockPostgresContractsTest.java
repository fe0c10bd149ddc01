package io.wellkeeper.jdbc;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** Locks in Spring Integration's table keep every contract but those of order, over PostgreSQL. */
class IntLockPostgresContractsTest extends LeaseTableContracts {

    private final PostgresServer server;

    IntLockPostgresContractsTest(PostgresServer server) {
        this.server = server;
    }

    @Override
    LeaseTableKit kit() {
        return new LeaseTableKit(server, LeaseTableLayouts.intLockOverPostgres());
    }

    @Nested
    @Tag("full")
    class Locks extends LockContracts {}
}
