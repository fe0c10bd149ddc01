package io.wellkeeper.testkit;

import org.junit.jupiter.api.Nested;

/** Locks over the store in memory, and all that is made of queues, keep every contract. */
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
