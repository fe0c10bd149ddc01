package io.wellkeeper.jdbc;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

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

    @Nested
    @Tag("full")
    class Locks extends LockContracts {}
}
