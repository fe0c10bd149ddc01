package io.wellkeeper.redis;

import io.wellkeeper.storekit.LockContracts;
import io.wellkeeper.storekit.LockFixture;
import org.junit.jupiter.api.Nested;

/** One server keeps every contract. */
class SingleServerContractsTest extends StoreContracts {

    SingleServerContractsTest(SingleServer servers) {
        super(servers);
    }

    @Nested
    class Locks extends LockContracts {
        @Override
        protected LockFixture newFixture() {
            return KitFixtures.locks(servers);
        }
    }
}
