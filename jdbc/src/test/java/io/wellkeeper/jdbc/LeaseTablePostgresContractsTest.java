package io.wellkeeper.jdbc;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** The lock table keeps every contract but those of order, over PostgreSQL. */
class LeaseTablePostgresContractsTest extends LeaseTableContracts {

    private final PostgresServer server;

    LeaseTablePostgresContractsTest(PostgresServer server) {
        this.server = server;
    }

    @Override
    LeaseTableKit kit() {
        return new LeaseTableKit(server, LeaseTableLayouts.leasesOverPostgres());
    }

    @Nested
    @Tag("full")
    class Locks extends LockContracts {}
}
