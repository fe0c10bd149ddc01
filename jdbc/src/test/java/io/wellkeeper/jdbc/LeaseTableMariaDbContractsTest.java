package io.wellkeeper.jdbc;

/** The lock table keeps every contract but those of order, over MariaDB. */
class LeaseTableMariaDbContractsTest extends LeaseTableContracts {

    private final MariaDbServer server;

    LeaseTableMariaDbContractsTest(MariaDbServer server) {
        this.server = server;
    }

    @Override
    LeaseTableKit kit() {
        return new LeaseTableKit(server, LeaseTableLayouts.leasesOverMariaDb());
    }
}
