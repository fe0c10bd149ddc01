package io.wellkeeper.jdbc;

/** Locks in ShedLock's table keep every contract but those of order, over MariaDB. */
class ShedLockMariaDbContractsTest extends LeaseTableContracts {

    private final MariaDbServer server;

    ShedLockMariaDbContractsTest(MariaDbServer server) {
        this.server = server;
    }

    @Override
    LeaseTableKit kit() {
        return new LeaseTableKit(server, LeaseTableLayouts.shedLockOverMariaDb());
    }
}
