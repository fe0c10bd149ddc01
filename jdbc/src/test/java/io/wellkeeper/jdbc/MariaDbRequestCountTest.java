package io.wellkeeper.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.DistributedLock;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockOptions;
import io.wellkeeper.spi.StoreUri;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The driver sends a request in one piece, and waits for the answer. */
@ExtendWith(SharedServers.class)
class MariaDbRequestCountTest {

    private static final int ROUNDS = 20;

    private final MariaDbServer server;

    MariaDbRequestCountTest(MariaDbServer server) {
        this.server = server;
    }

    @Test
    void lockAndUnlock_whenFree_oneRoundTripEach() {
        String uri = server.uri(server.port()) + "&socketFactory=" + CountingSockets.class.getName();
        Assumptions.assumeTrue(uri.startsWith("jdbc:mariadb:"), "the driver takes sockets that count");
        ClientOptions options = ClientOptions.builder()
                .lockDefaults(LockOptions.builder().awaitRelease(true).build())
                .build();
        try (LockClient client = LockClient.over(SqlTicketStore.of(StoreUri.parse(uri)), options)) {
            DistributedLock lock = client.lock("counted");
            lock.lock();
            lock.unlock();
            int before = CountingSockets.SENT.get();
            for (int i = 0; i < ROUNDS; i++) {
                lock.lock();
                lock.unlock();
            }
            assertThat(CountingSockets.SENT.get() - before).isEqualTo(2 * ROUNDS);
        }
    }
}
