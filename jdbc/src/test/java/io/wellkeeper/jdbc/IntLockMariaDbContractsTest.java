package io.wellkeeper.jdbc;

/** Locks in Spring Integration's table keep every contract but those of order, over MariaDB. */
class IntLockMariaDbContractsTest extends LeaseTableContracts {

    private final MariaDbServer server;

    IntLockMariaDbContractsTest(MariaDbServer server) {
        this.server = server;
    }

    @Override
    LeaseTableKit kit() {
        return new LeaseTableKit(server, LeaseTableLayouts.intLockOverMariaDb());
    }
}
