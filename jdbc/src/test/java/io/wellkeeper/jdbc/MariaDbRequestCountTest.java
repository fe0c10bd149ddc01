package io.wellkeeper.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.DistributedLock;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockOptions;
import io.wellkeeper.spi.StoreUri;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The driver sends a request in one piece, and waits for the answer. */
@ExtendWith(SharedServers.class)
class MariaDbRequestCountTest {

    private static final int ATTEMPTS = 5;
    private static final int ROUNDS = 20;

    private final MariaDbServer server;

    MariaDbRequestCountTest(MariaDbServer server) {
        this.server = server;
    }

    @Test
    void lockAndUnlock_whenFree_oneRoundTripEach() {
        assertThat(roundTrips("")).isEqualTo(2 * ROUNDS);
    }

    @Test
    void lockAndUnlock_oneStatementAtOnce_oneRoundTripEach() {
        assertThat(roundTrips("&allowMultiQueries=false")).isEqualTo(2 * ROUNDS);
    }

    @Test
    void lockAndUnlock_nothingCanBePrepared_oneRoundTripEachWithSeveralStatementsAtOnce() throws Exception {
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("SET @most = @@global.max_prepared_stmt_count; SET GLOBAL max_prepared_stmt_count = 0");
            try {
                assertThat(roundTrips("")).isEqualTo(2 * ROUNDS);
                assertThat(roundTrips("&allowMultiQueries=false")).isGreaterThan(2 * ROUNDS);
            } finally {
                statement.execute("SET GLOBAL max_prepared_stmt_count = @most");
            }
        }
    }

    @Test
    void heed_nobodyElseWatches_oneRoundTrip() throws Exception {
        Tables tables = new Tables(Optional.empty(), RealDatabase.prefix());
        Map<String, String> parameters = Map.of("me", "0000000000001", "name", "noticed");
        Steps steps = server.dialect().statements(tables);
        try (Connection connection = DriverManager.getConnection(counted("&allowMultiQueries=true"))) {
            server.dialect().createTables(connection, tables);
            steps.run(connection, Step.HEED, parameters);
            int before = CountingSockets.SENT.get();

            steps.run(connection, Step.HEED, parameters);

            assertThat(CountingSockets.SENT.get() - before).isEqualTo(1);
        }
    }

    private String counted(String parameters) {
        String uri = server.uri(server.port()) + "&socketFactory=" + CountingSockets.class.getName() + parameters;
        Assumptions.assumeTrue(uri.startsWith("jdbc:mariadb:"), "the driver takes sockets that count");
        return uri;
    }

    /** Of so many cycles, without what the client does by itself now and then. */
    private int roundTrips(String parameters) {
        ClientOptions options = ClientOptions.builder()
                .lockDefaults(LockOptions.builder().awaitRelease(true).build())
                .build();
        try (LockClient client = LockClient.over(SqlTicketStore.of(StoreUri.parse(counted(parameters))), options)) {
            DistributedLock lock = client.lock("counted");
            lock.lock();
            lock.unlock();
            int fewest = Integer.MAX_VALUE;
            for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
                int before = CountingSockets.SENT.get();
                for (int i = 0; i < ROUNDS; i++) {
                    lock.lock();
                    lock.unlock();
                }
                fewest = Math.min(fewest, CountingSockets.SENT.get() - before);
            }
            return fewest;
        }
    }
}
