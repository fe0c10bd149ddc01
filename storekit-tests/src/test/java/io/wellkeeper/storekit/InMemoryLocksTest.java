package io.wellkeeper.storekit;

import org.junit.jupiter.api.Nested;

/** Locks over the store in memory keep every contract. */
class InMemoryLocksTest extends LockContracts {

    @Override
    protected LockFixture newFixture() {
        return new InMemoryLockFixture();
    }

    @Nested
    class Outage extends OutageContract {
        @Override
        protected LockFixture newFixture() {
            return new InMemoryLockFixture();
        }
    }
}
