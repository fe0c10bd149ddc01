package io.wellkeeper.storekit;

import io.wellkeeper.spi.LeaseStore;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Assumptions;

/** What {@link LeaseStoreContract} needs of the store it tests; see {@link TicketStoreFixture}. */
public interface LeaseStoreFixture extends AutoCloseable {

    /** A connection of its own to one and the same server, as each process has. The kit closes it. */
    LeaseStore connect() throws Exception;

    /** A time to live within which no test comes to its end. */
    default Duration longTtl() {
        return Duration.ofSeconds(60);
    }

    /** The shortest time to live the store is good for. */
    default Duration shortTtl() {
        return Duration.ofSeconds(1);
    }

    /** Stops the server and starts it again, with its data. */
    default void restart() throws Exception {
        Assumptions.abort("this store cannot be restarted");
    }

    /** Leases and watches that the server still has, each in a sentence; of this fixture only. */
    List<String> leftovers() throws Exception;

    /** Lets go of the server. */
    @Override
    void close() throws Exception;
}
