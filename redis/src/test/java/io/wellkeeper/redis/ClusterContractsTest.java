package io.wellkeeper.redis;

import io.wellkeeper.storekit.LockContracts;
import io.wellkeeper.storekit.LockFixture;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** A Cluster keeps every contract. */
class ClusterContractsTest extends StoreContracts {

    ClusterContractsTest(ClusterServers servers) {
        super(servers);
    }

    @Nested
    @Tag("full")
    class Locks extends LockContracts {
        @Override
        protected LockFixture newFixture() {
            return KitFixtures.locks(servers);
        }
    }
}
