package io.wellkeeper.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.testservers.TcpProxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class MariaDbDoorbellTest {

    private static final RealDatabase DATABASE = RealDatabase.MARIADB;
    private static final String SESSION = "0123456789abc";
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final Tables tables = new Tables(Optional.of("wellkeeper"), RealDatabase.prefix());
    private Connection connection;
    private Dialect.Doorbell bell;

    @BeforeEach
    void listen() throws SQLException {
        for (String statement :
                SqlTicketStore.schema("mariadb", "wellkeeper", tables.prefix()).split(Script.END_OF_STATEMENT)) {
            DATABASE.execute(statement);
        }
        connection = DATABASE.getConnection();
        bell = new MariaDb().listen(connection, tables, SESSION);
    }

    @AfterEach
    void close() throws SQLException {
        connection.close();
    }

    private void send(Connection sender, String text) throws SQLException {
        try (Statement statement = sender.createStatement()) {
            statement.execute(tables.fill("INSERT INTO {inbox} (session, text, since) VALUES ('" + SESSION + "', '"
                    + text + "', UTC_TIMESTAMP(6))"));
        }
    }

    private void send(String text) throws SQLException {
        try (Connection sender = DATABASE.getConnection()) {
            send(sender, text);
        }
    }

    private String next() throws SQLException {
        return bell.await(PATIENCE).orElse("nothing");
    }

    @Test
    void await_noticeAndThenDeparture_areReadInThatOrder() throws Exception {
        send("?n1:notice");
        send("d1");
        send("?n2:notice");

        assertThat(next()).isEqualTo("n1:notice");
        assertThat(next()).isEqualTo("d1");
        assertThat(next()).isEqualTo("n2:notice");
    }

    @Test
    void await_anOpenOneIsNotCommitted_othersAreReadMeanwhile() throws Exception {
        try (Connection user = DATABASE.begin()) {
            send(user, "?d1");
            send("?n1:notice");
            send("d2");
            assertThat(next()).isEqualTo("n1:notice");
            assertThat(next()).isEqualTo("d2");
            assertThat(next()).isEqualTo("nothing");
            user.commit();
        }
        assertThat(next()).isEqualTo("d1");
    }

    @Test
    void await_anOpenOneComesToNothing_isNotRead() throws Exception {
        try (Connection user = DATABASE.begin()) {
            send(user, "?d1");
            assertThat(next()).isEqualTo("nothing");
            user.rollback();
        }
        send("d2");
        assertThat(next()).isEqualTo("d2");
    }

    @Test
    void await_rungWhileItWaitsForAnOpenOne_readsWhatHasCome() throws Exception {
        try (Connection user = DATABASE.begin()) {
            send(user, "?d1");
            CompletableFuture<String> next = CompletableFuture.supplyAsync(this::received);
            await().until(() -> DATABASE.waiting() > 0);
            send("d2");
            try (Connection sender = DATABASE.getConnection()) {
                MariaDbPost.ring(sender, tables, SESSION, failure -> {});
            }
            assertThat(text(next)).isEqualTo("d2");
            user.rollback();
        }
    }

    @Test
    void await_aMessageIsNotCommittedForLong_readsAllThatFollow() throws Exception {
        try (Connection sender = DATABASE.begin()) {
            send(sender, "d0"); // true before its commit, but cannot be cleared
            assertThat(next()).isEqualTo("d0");
            for (int i = 1; i <= 15; i++) {
                send("d" + i);
                assertThat(received()).isEqualTo("d" + i);
            }
        }
    }

    @Test
    void await_theAnchorWasHadTwice_isLeftFree() throws Exception {
        MariaDb.value(connection, "SELECT GET_LOCK(?, 0)", MariaDb.anchor(tables, SESSION));

        assertThat(next()).isEqualTo("nothing");

        try (Connection successor = DATABASE.getConnection()) {
            assertThat(MariaDb.value(successor, "SELECT GET_LOCK(?, 0)", MariaDb.anchor(tables, SESSION)))
                    .hasToString("1"); // MySQL has another type
        }
    }

    /** What it waits for it must not have for good, then. */
    @Test
    void await_networkOfTheListenerIsGone_anchorIsFreeForTheNextConnection() throws Exception {
        try (TcpProxy proxy = TcpProxy.of(DATABASE.port());
                Connection requests = DATABASE.getConnection();
                Connection listening = DATABASE.through(proxy.port());
                Connection next = DATABASE.getConnection()) {
            MariaDb dialect = new MariaDb();
            dialect.prepare(requests, tables, SESSION, PATIENCE);
            bell = dialect.listen(listening, tables, SESSION);
            CompletableFuture<Void> waiting = CompletableFuture.runAsync(this::received);
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> DATABASE.number(
                                    "SELECT COUNT(*) FROM information_schema.processlist WHERE state = 'User lock'")
                            > 0);
            proxy.swallow(true);

            dialect.prepare(next, tables, SESSION, PATIENCE);

            assertThat(waiting).isNotDone();
        }
    }

    /** Asks until there is something. */
    private String received() {
        try {
            String next = "nothing";
            while (next.equals("nothing")) {
                next = next();
            }
            return next;
        } catch (SQLException failed) {
            throw new IllegalStateException(failed);
        }
    }

    private static String text(CompletableFuture<String> next) throws Exception {
        try {
            return next.get(60, TimeUnit.SECONDS);
        } catch (ExecutionException failed) {
            throw new AssertionError(failed.getCause());
        }
    }
}
