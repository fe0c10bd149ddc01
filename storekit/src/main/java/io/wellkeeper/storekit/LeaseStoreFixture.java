package io.wellkeeper.storekit;

import io.wellkeeper.spi.LeaseStore;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Assumptions;

/** The operations on a store that {@link LeaseStoreContract} needs; see {@link TicketStoreFixture}. */
public interface LeaseStoreFixture extends AutoCloseable {

    /**
     * Connects to the server, always the same one, like a process.
     *
     * @return a new connection, which the kit closes
     * @throws Exception if that fails, and so the test
     */
    LeaseStore connect() throws Exception;

    /** {@return a time to live that is longer than any test} */
    default Duration longTtl() {
        return Duration.ofSeconds(60);
    }

    /** {@return the shortest time to live that the store supports} */
    default Duration shortTtl() {
        return Duration.ofSeconds(1);
    }

    /**
     * Stops the server and starts it again, with its data.
     *
     * @throws Exception if that fails, and so the test
     */
    default void restart() throws Exception {
        Assumptions.abort("this store cannot be restarted");
    }

    /**
     * Looks for leftovers of this fixture.
     *
     * @return the leases and watches of this fixture that the server still has, each in a sentence
     * @throws Exception if that fails, and so the test
     */
    List<String> leftovers() throws Exception;

    /** Releases the server. */
    @Override
    void close() throws Exception;
}
