package io.wellkeeper.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.DistributedLock;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockOptions;
import io.wellkeeper.spi.StoreUri;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Filter;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The driver ends whatever it sends, and then waits, with a Sync. */
@ExtendWith(SharedServers.class)
class RequestCountTest {

    private static final Logger DRIVER = Logger.getLogger("org.postgresql.core.v3.QueryExecutorImpl");
    private static final int ROUNDS = 20;

    private final PostgresServer server;

    RequestCountTest(PostgresServer server) {
        this.server = server;
    }

    @Test
    void lockAndUnlock_whenFree_oneRoundTripEach() {
        SqlTicketStore store = SqlTicketStore.of(StoreUri.parse(server.uri(server.port())));
        ClientOptions options = ClientOptions.builder()
                .lockDefaults(LockOptions.builder().awaitRelease(true).build())
                .build();
        try (LockClient client = LockClient.over(store, options)) {
            DistributedLock lock = client.lock("counted");
            lock.lock();
            lock.unlock();
            AtomicInteger trips = new AtomicInteger();
            Filter counting = message -> {
                if (message.getMessage().contains("FE=> Sync")) {
                    trips.incrementAndGet();
                }
                return false;
            };
            DRIVER.setFilter(counting);
            DRIVER.setLevel(Level.FINEST);
            try {
                for (int i = 0; i < ROUNDS; i++) {
                    lock.lock();
                    lock.unlock();
                }
            } finally {
                DRIVER.setLevel(Level.INFO);
                DRIVER.setFilter(null);
            }
            assertThat(trips).hasValue(2 * ROUNDS);
        }
    }
}
