package io.wellkeeper.storekit;

/** What is made of queues keeps every contract over the store in memory. */
class InMemoryFamilyTest extends FamilyContracts {

    @Override
    protected LockFixture newFixture() {
        return new InMemoryLockFixture();
    }
}
