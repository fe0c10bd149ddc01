package io.wellkeeper.jdbc;

import org.junit.jupiter.api.Nested;

/** The lock table keeps every contract but those of order, over SQLite. */
class LeaseTableSqliteContractsTest extends LeaseTableContracts {

    private final SqliteServer server;

    LeaseTableSqliteContractsTest(SqliteServer server) {
        this.server = server;
    }

    @Override
    LeaseTableKit kit() {
        return new LeaseTableKit(server, LeaseTableLayouts.leasesOverSqlite());
    }

    @Nested
    class Locks extends LockContracts {}
}
