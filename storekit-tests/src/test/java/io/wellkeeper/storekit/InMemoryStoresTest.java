package io.wellkeeper.storekit;

import io.wellkeeper.spi.LeaseStore;
import io.wellkeeper.testkit.InMemoryLeaseStore;
import org.junit.jupiter.api.Nested;

/** The stores in memory keep the laws. */
class InMemoryStoresTest extends TicketStoreContracts {

    @Override
    protected TicketStoreFixture newFixture() {
        return new InMemoryTicketFixture();
    }

    @Nested
    class Leases extends LeaseStoreContract {
        @Override
        protected LeaseStoreFixture newFixture() {
            return new InMemoryLeaseFixture();
        }
    }

    @Nested
    class LeasesWithoutTokens extends LeaseStoreContract {
        @Override
        protected LeaseStoreFixture newFixture() {
            return new InMemoryLeaseFixture() {
                @Override
                public LeaseStore connect() {
                    return InMemoryLeaseStore.withoutTokens(server);
                }
            };
        }
    }
}
