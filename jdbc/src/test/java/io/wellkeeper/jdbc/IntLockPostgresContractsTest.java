package io.wellkeeper.jdbc;

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
}
