package io.wellkeeper.storekit;

/** Simple locks keep every contract but those of order. */
class InMemorySimpleLocksTest extends SimpleLockContracts {

    @Override
    protected LockFixture newFixture() {
        return new InMemorySimpleLockFixture();
    }
}
