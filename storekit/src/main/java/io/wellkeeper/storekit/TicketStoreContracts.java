package io.wellkeeper.storekit;

import org.junit.jupiter.api.Nested;

/**
 * Every law of a {@link io.wellkeeper.spi.TicketStore}, for the test of a store to extend. What is built on it is held to
 * {@link LockContracts} and {@link FamilyContracts}.
 */
public abstract class TicketStoreContracts {

    /** For the store's own test to call. */
    protected TicketStoreContracts() {}

    /**
     * Makes the fixture of one test.
     *
     * @return the store under test; closed after the test
     * @throws Exception if the store cannot be had
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
