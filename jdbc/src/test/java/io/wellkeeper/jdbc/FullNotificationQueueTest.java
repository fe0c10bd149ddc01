package io.wellkeeper.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.spi.Mode;
import io.wellkeeper.spi.Notice;
import io.wellkeeper.spi.Place;
import io.wellkeeper.spi.Session;
import io.wellkeeper.spi.StoreUri;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketQueue;
import io.wellkeeper.testservers.PostgresProcess;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Some connection to the server listens and stays in a transaction, so that it does not read: the queue of all notifications of
 * the server grows until there is no room for another, and no transaction that notifies can be committed.
 */
@Tag("full")
class FullNotificationQueueTest {

    private static final String NO_ROOM = "54000";
    private static final int SECONDS = 60;

    private final PostgresProcess server = PostgresProcess.start("max_notify_queue_pages=64"); // fewer there cannot be
    private final LockClient first = client();
    private final LockClient second = client();

    private LockClient client() {
        return LockClient.connect(
                server.jdbcUrl(),
                ClientOptions.builder().sessionTimeout(Duration.ofSeconds(8)).build());
    }

    @AfterEach
    void stop() {
        first.close();
        second.close();
        server.close();
    }

    /** Has it stay full until the connection is closed. */
    private Connection fill() throws SQLException {
        Connection idle = DriverManager.getConnection(server.jdbcUrl());
        try (Statement statement = idle.createStatement()) {
            statement.execute("LISTEN something");
            idle.setAutoCommit(false);
            statement.execute("SELECT 1");
        }
        try (Connection filling = DriverManager.getConnection(server.jdbcUrl());
                Statement statement = filling.createStatement()) {
            while (true) {
                statement.execute("SELECT pg_notify('something', repeat('x', 7900))");
            }
        } catch (SQLException full) {
            assertThat(full.getSQLState()).isEqualTo(NO_ROOM);
        }
        return idle;
    }

    private static boolean isWarned(LockClient client) {
        return client.admin().storeWarnings().stream().anyMatch(warning -> warning.contains("% full"));
    }

    @Test
    void unlock_noRoomForNotifications_nextIsLetIn() throws Exception {
        LockHandle held = first.lock("full").acquire();
        CompletableFuture<LockHandle> waiting = second.lock("full").acquireAsync();
        await().until(() -> first.admin().inspect("full").waiters().size() == 1);
        try (Connection idle = fill()) {
            held.close();

            waiting.get(SECONDS, TimeUnit.SECONDS).close();
            await().atMost(Duration.ofSeconds(SECONDS)).until(() -> isWarned(first) && isWarned(second));
            assertThat(idle.isClosed()).isFalse();
        }
    }

    /** Somebody stands behind, and would be told each time. */
    @Test
    void sweepReplaceAndExchange_noRoomForNotifications_areDone() throws Exception {
        try (SqlTicketStore store = SqlTicketStore.of(StoreUri.parse(server.jdbcUrl()))) {
            Session dead = Sessions.open(store, Duration.ofMinutes(2));
            TicketQueue queue = Sessions.open(store, Duration.ofMinutes(2)).queue("full");
            Await.get(dead.queue("full").take(Sessions.request("dead")));
            Ticket mine = Await.get(queue.take(Sessions.request("mine"))).ticket();
            Session behind = Sessions.open(store, Duration.ofMinutes(2));
            Ticket other = Await.get(behind.queue("full").take(Sessions.request("other")))
                    .ticket();
            try (Connection idle = fill()) {
                expire(dead);

                assertThat(Await.get(queue.tickets())).containsExactly(mine, other);
                Ticket milder = Await.get(queue.replace(mine, Mode.SHARED, 1));
                assertThat(Await.get(queue.tickets())).containsExactly(milder, other);
                CompletionStage<Boolean> removed = queue.remove(milder);
                Place next = Await.get(queue.take(Sessions.request("next")));

                assertThat(Await.get(removed)).isTrue();
                assertThat(next.ahead()).containsExactly(other);
                assertThat(idle.isClosed()).isFalse();
            }
        }
    }

    /** The driver sends each statement by itself, so that one that is committed stays when the next one fails. */
    @Test
    void post_noRoomForNotifications_failsAndPutsNothingUp() throws Exception {
        StoreUri uri = StoreUri.parse(server.jdbcUrl() + "&preferQueryMode=simple");
        try (SqlTicketStore store = SqlTicketStore.of(uri)) {
            TicketQueue watched = Sessions.open(store, Duration.ofMinutes(2)).queue("full");
            watched.onNotice(() -> {});
            Notice before = Await.get(watched.notice());
            TicketQueue queue = Sessions.open(store, Duration.ofMinutes(2)).queue("full");
            try (Connection idle = fill()) {
                assertThat(Await.failure(queue.post(before, "news"))).isNotNull();

                assertThat(Await.get(queue.notice())).isEqualTo(before);
                assertThat(idle.isClosed()).isFalse();
            }
        }
    }

    private void expire(Session dead) throws SQLException {
        try (Connection connection = DriverManager.getConnection(server.jdbcUrl());
                Statement statement = connection.createStatement()) {
            statement.execute(new Tables(Optional.empty(), Tables.PREFIX)
                    .fill("UPDATE {session} SET expires = '2000-01-01' WHERE id = '" + dead.id() + "'"));
        }
    }
}
