package io.wellkeeper.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockStoreException;
import io.wellkeeper.spi.LeaseRequest;
import io.wellkeeper.spi.LeaseStore;
import io.wellkeeper.spi.StoreUri;
import io.wellkeeper.testservers.PostgresProcess;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A server, or a connection, to which nothing can be written. */
@Tag("full")
class PostgresReplicaTest {

    private static final ClientOptions PATIENT =
            ClientOptions.builder().sessionTimeout(Duration.ofSeconds(60)).build();

    private static PostgresProcess server;

    @BeforeAll
    static void start() {
        server = PostgresProcess.start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @AfterEach
    void mend() throws SQLException {
        query("SELECT CASE WHEN pg_is_in_recovery() THEN pg_promote() END");
    }

    private static String query(String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(server.jdbcUrl());
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            return row.next() ? row.getString(1) : "";
        }
    }

    private static void execute(String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(server.jdbcUrl());
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** Starts it again as a hot standby, of nobody in particular. */
    private static void demote() throws SQLException {
        execute("COPY (SELECT 1) TO '" + query("SHOW data_directory") + "/standby.signal'");
        server.restart();
        assertThat(query("SELECT pg_is_in_recovery()")).isEqualTo("t");
    }

    private static void promote() throws SQLException {
        assertThat(query("SELECT pg_promote()")).isEqualTo("t");
    }

    private static void readOnlyByDefault(String setting) throws SQLException {
        execute("ALTER SYSTEM SET default_transaction_read_only = " + setting);
        query("SELECT pg_reload_conf()");
        await().until(() -> query("SHOW default_transaction_read_only").equals(setting));
    }

    private static SqlTicketStore store(Database.Source source) {
        return new SqlTicketStore(
                Database.of(source, "a database", new PostgreSql(), new Tables(Optional.empty(), Tables.PREFIX)));
    }

    @Test
    void connect_serverIsAReplica_isRefusedUntilItIsPromoted() throws Exception {
        demote();

        assertThatThrownBy(() -> LockClient.connect(server.jdbcUrl()))
                .isInstanceOf(LockStoreException.class)
                .hasMessageContaining("read-only replica");

        promote();
        try (LockClient client = LockClient.connect(server.jdbcUrl());
                LockHandle handle = client.lock("promoted").acquire()) {
            handle.checkHeld();
        }
    }

    @Test
    void tryAcquire_serverIsAReplica_isRefusedUntilItIsPromoted() throws Exception {
        demote();
        LeaseRequest request = new LeaseRequest("promoted", "me", Duration.ofSeconds(10), "");
        LeaseStore store = NativeLeaseStore.of(StoreUri.parse(server.jdbcUrl().replaceFirst("jdbc:", "jdbc-native:")));
        try {
            assertThat(Await.failure(store.tryAcquire(request))).hasMessageContaining("read-only replica");

            promote();
            assertThat(Await.get(store.tryAcquire(request))).isPresent();
        } finally {
            store.close();
        }
    }

    @Test
    void acquire_serverIsAReplicaForAWhile_waitsForItsPromotion() throws Exception {
        AtomicInteger attempts = new AtomicInteger();
        Database.Source source = () -> {
            if (Thread.currentThread().getName().startsWith("wellkeeper-jdbc-requests")) {
                attempts.incrementAndGet();
            }
            return DriverManager.getConnection(server.jdbcUrl());
        };
        try (LockClient client = LockClient.over(store(source), PATIENT);
                LockHandle held = client.lock("held").acquire()) {
            demote();
            int before = attempts.get();
            CompletableFuture<LockHandle> waiting = client.lock("waited for").acquireAsync();
            await().until(() -> attempts.get() > before + 1);
            assertThat(waiting).isNotDone();

            promote();

            waiting.get(60, TimeUnit.SECONDS).close();
            held.checkHeld();
        }
    }

    @Test
    void acquire_connectionHasComeToAReplica_isHadOnAnother() throws Exception {
        List<Connection> made = new CopyOnWriteArrayList<>();
        Database.Source source = () -> {
            made.add(DriverManager.getConnection(server.jdbcUrl()));
            return made.get(made.size() - 1);
        };
        try (LockClient client = LockClient.over(store(source), PATIENT)) {
            try (Statement statement = made.get(0).createStatement()) { // as a pooler might bring about
                statement.execute("SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY");
            }

            client.lock("elsewhere").acquire().close();

            assertThat(made).hasSize(3); // one listens
        }
    }

    @Test
    void acquire_transactionsAreReadOnlyByDefault_isWrittenAllTheSame() throws Exception {
        try (LockClient before = LockClient.connect(server.jdbcUrl())) {
            readOnlyByDefault("on");
            try (LockClient after = LockClient.connect(server.jdbcUrl() + "&prefix=after_")) {
                before.lock("before").acquire().close();
                after.lock("after").acquire().close();
            }
        } finally {
            readOnlyByDefault("off");
        }
    }
}
