package io.wellkeeper.storekit;

import io.wellkeeper.spi.LeaseStore;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Assumptions;

/** What {@link LeaseStoreContract} needs of the store it tests; see {@link TicketStoreFixture}. */
public interface LeaseStoreFixture extends AutoCloseable {

    /**
     * Connects to one and the same server, as each process does.
     *
     * @return a connection of its own, which the kit closes
     * @throws Exception if that fails, and so the test
     */
    LeaseStore connect() throws Exception;

    /** {@return a time to live within which no test comes to its end} */
    default Duration longTtl() {
        return Duration.ofSeconds(60);
    }

    /** {@return the shortest time to live the store is good for} */
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
     * Looks for what is left behind.
     *
     * @return leases and watches that the server still has, each in a sentence; of this fixture only
     * @throws Exception if that fails, and so the test
     */
    List<String> leftovers() throws Exception;

    /** Lets go of the server. */
    @Override
    void close() throws Exception;
}
