package io.wellkeeper.storekit;

import org.junit.jupiter.api.Nested;

/**
 * All laws of a {@link io.wellkeeper.spi.TicketStore}. The test of a store extends this. {@link LockContracts} and
 * {@link FamilyContracts} test the locks and other primitives over the store.
 */
public abstract class TicketStoreContracts {

    /** Called by the store's own test. */
    protected TicketStoreContracts() {}

    /**
     * Makes the fixture of one test.
     *
     * @return the store under test; closed after the test
     * @throws Exception if the store cannot be used
     */
    protected abstract TicketStoreFixture newFixture() throws Exception;

    @Nested
    class Tickets extends TicketStoreContract {
        @Override
        protected TicketStoreFixture newFixture() throws Exception {
            return TicketStoreContracts.this.newFixture();
        }
    }

    @Nested
    class Queues extends TicketQueueContract {
        @Override
        protected TicketStoreFixture newFixture() throws Exception {
            return TicketStoreContracts.this.newFixture();
        }
    }

    @Nested
    class Replacements extends ReplacementContract {
        @Override
        protected TicketStoreFixture newFixture() throws Exception {
            return TicketStoreContracts.this.newFixture();
        }
    }

    @Nested
    class Notices extends NoticeContract {
        @Override
        protected TicketStoreFixture newFixture() throws Exception {
            return TicketStoreContracts.this.newFixture();
        }
    }
}
