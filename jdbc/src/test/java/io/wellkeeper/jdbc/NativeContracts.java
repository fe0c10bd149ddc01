package io.wellkeeper.jdbc;

import io.wellkeeper.storekit.LeaseStoreContract;
import io.wellkeeper.storekit.LeaseStoreFixture;
import io.wellkeeper.storekit.LockFixture;
import io.wellkeeper.storekit.SimpleLockContracts;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/** The law of leases, and every contract of locks but those of order. */
@ExtendWith(SharedServers.class)
abstract class NativeContracts {

    private final Servers server;

    NativeContracts(Servers server) {
        this.server = server;
    }

    @Nested
    class Leases extends LeaseStoreContract {
        @Override
        protected LeaseStoreFixture newFixture() {
            return new NativeKit(server).leases();
        }
    }

    @Nested
    @Tag("full")
    class Locks extends SimpleLockContracts {
        @Override
        protected LockFixture newFixture() {
            return new NativeKit(server).locks();
        }
    }
}
