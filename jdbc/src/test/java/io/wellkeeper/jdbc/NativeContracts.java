package io.wellkeeper.jdbc;

import io.wellkeeper.testkit.AsyncContract;
import io.wellkeeper.testkit.ExclusionContract;
import io.wellkeeper.testkit.LeaseStoreContract;
import io.wellkeeper.testkit.LeaseStoreFixture;
import io.wellkeeper.testkit.LockContract;
import io.wellkeeper.testkit.LockFixture;
import io.wellkeeper.testkit.LossContract;
import io.wellkeeper.testkit.LossNoticeContract;
import io.wellkeeper.testkit.UnrenewedLeaseContract;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.extension.ExtendWith;

/** The law of leases, and every contract of locks but those of order. */
@ExtendWith(SharedServers.class)
abstract class NativeContracts {

    private final Servers server;

    NativeContracts(Servers server) {
        this.server = server;
    }

    private LockFixture locks() {
        return new NativeKit(server).locks();
    }

    @Nested
    class Leases extends LeaseStoreContract {
        @Override
        protected LeaseStoreFixture newFixture() {
            return new NativeKit(server).leases();
        }
    }

    @Nested
    class Locks extends LockContract {
        @Override
        protected LockFixture newFixture() {
            return locks();
        }
    }

    @Nested
    class Exclusion extends ExclusionContract {
        @Override
        protected LockFixture newFixture() {
            return locks();
        }
    }

    @Nested
    class Loss extends LossContract {
        @Override
        protected LockFixture newFixture() {
            return locks();
        }
    }

    @Nested
    class Async extends AsyncContract {
        @Override
        protected LockFixture newFixture() {
            return locks();
        }
    }

    @Nested
    class LossNotice extends LossNoticeContract {
        @Override
        protected LockFixture newFixture() {
            return locks();
        }
    }

    @Nested
    class UnrenewedLeases extends UnrenewedLeaseContract {
        @Override
        protected LockFixture newFixture() {
            return locks();
        }
    }
}
