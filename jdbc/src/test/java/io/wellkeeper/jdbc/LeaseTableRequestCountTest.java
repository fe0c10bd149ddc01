package io.wellkeeper.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.DistributedLock;
import io.wellkeeper.LeaseClient;
import io.wellkeeper.LockOptions;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import java.util.logging.Filter;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the locks in tables cost: PostgreSQL's driver ends whatever it sends, and then waits, with a Sync; MariaDB counts. */
@ExtendWith(SharedServers.class)
class LeaseTableRequestCountTest {

    private static final Logger DRIVER = Logger.getLogger("org.postgresql.core.v3.QueryExecutorImpl");
    private static final int ROUNDS = 20;

    @ParameterizedTest
    @ValueSource(strings = {"simple", "shedlock", "spring-integration"})
    void lockAndUnlock_overPostgres_oneRoundTripEach(String kind, PostgresServer server) {
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
            assertThat(rounds(kind, server, trips::get)).isEqualTo(2 * ROUNDS);
        } finally {
            DRIVER.setLevel(Level.INFO);
            DRIVER.setFilter(null);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"simple", "shedlock", "spring-integration"})
    void lockAndUnlock_overMariaDb_oneRoundTripEach(String kind, MariaDbServer server) throws SQLException {
        try (Connection connection = server.connect()) {
            LongSupplier count = () -> {
                try (Statement statement = connection.createStatement();
                        ResultSet row = statement.executeQuery("SHOW GLOBAL STATUS LIKE 'Questions'")) {
                    row.next();
                    return row.getLong(2);
                } catch (SQLException failed) {
                    throw new AssertionError(failed);
                }
            };
            assertThat(rounds(kind, server, count)).isEqualTo(2 * ROUNDS + 1); // it counts the asking, too
        }
    }

    /** How many trips it takes, when both connections are there. */
    private static long rounds(String kind, Servers server, LongSupplier trips) {
        LibraryTables.shedLock(server);
        LibraryTables.intLock(server);
        ClientOptions options = ClientOptions.builder()
                .sessionTimeout(Duration.ofMinutes(5))
                .lockDefaults(LockOptions.builder().awaitRelease(true).build())
                .build();
        String uri = server.uri(server.port()).replaceFirst("jdbc:", "jdbc-" + kind + ":");
        try (LeaseClient client = LeaseClient.connect(uri, options)) {
            DistributedLock lock = client.lock("counted");
            for (int i = 0; i < ROUNDS; i++) {
                lock.lock();
                lock.unlock();
            }
            long before = trips.getAsLong();
            for (int i = 0; i < ROUNDS; i++) {
                lock.lock();
                lock.unlock();
            }
            return trips.getAsLong() - before;
        }
    }
}
