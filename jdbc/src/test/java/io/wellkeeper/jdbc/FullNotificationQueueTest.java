package io.wellkeeper.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.testservers.PostgresProcess;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Some connection to the server listens and stays in a transaction, so that it does not read: the queue of all notifications of
 * the server grows until there is no room for another, and no transaction that notifies can be committed.
 */
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
}
