package io.wellkeeper.jdbc;

import io.wellkeeper.storekit.LeaseStoreContract;
import io.wellkeeper.storekit.LeaseStoreFixture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/** The law of leases in ShedLock's table over MariaDB; what is built on it is tested over PostgreSQL. */
@Tag("full")
@ExtendWith(SharedServers.class)
class ShedLockMariaDbLeasesTest extends LeaseStoreContract {

    private final MariaDbServer server;

    ShedLockMariaDbLeasesTest(MariaDbServer server) {
        this.server = server;
    }

    @Override
    protected LeaseStoreFixture newFixture() {
        return new LeaseTableKit(server, LeaseTableLayouts.shedLockOverMariaDb()).leases();
    }
}
