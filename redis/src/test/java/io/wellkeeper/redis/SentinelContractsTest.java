package io.wellkeeper.redis;

import io.wellkeeper.storekit.LockContracts;
import io.wellkeeper.storekit.LockFixture;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** A master chosen by sentinels keeps every contract. */
class SentinelContractsTest extends StoreContracts {

    SentinelContractsTest(SentinelServers servers) {
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
