package io.wellkeeper.jdbc;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** Locks in ShedLock's table keep every contract but those of order, over PostgreSQL. */
class ShedLockPostgresContractsTest extends LeaseTableContracts {

    private final PostgresServer server;

    ShedLockPostgresContractsTest(PostgresServer server) {
        this.server = server;
    }

    @Override
    LeaseTableKit kit() {
        return new LeaseTableKit(server, LeaseTableLayouts.shedLockOverPostgres());
    }

    @Nested
    @Tag("full")
    class Locks extends LockContracts {}
}
