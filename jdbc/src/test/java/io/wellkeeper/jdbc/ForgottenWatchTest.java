package io.wellkeeper.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.spi.TicketQueue;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A server that has crashed, or taken over, may lack what was committed last: here, that somebody watches a notice. */
@ExtendWith(SharedServers.class)
class ForgottenWatchTest {

    private static final Duration TIMEOUT = Duration.ofMinutes(2);
    private static final Duration SOON = Duration.ofSeconds(30);

    private final PostgresServer server;
    private final Tables tables = new Tables(Optional.empty(), RealDatabase.prefix());
    private final List<String> read = new CopyOnWriteArrayList<>();

    ForgottenWatchTest(PostgresServer server) {
        this.server = server;
    }

    private SqlTicketStore store() {
        return new SqlTicketStore(Database.of(server::connect, "a database", new PostgreSql(), tables));
    }

    private void forgetWatches() throws SQLException {
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement()) {
            statement.execute(tables.fill("UPDATE {lock} SET watches = ' '"));
        }
    }

    private boolean isWatched() throws SQLException {
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement();
                ResultSet row =
                        statement.executeQuery(tables.fill("SELECT count(*) FROM {lock} WHERE watches <> ' '"))) {
            return row.next() && row.getInt(1) == 1;
        }
    }

    @Test
    void onNotice_isForgottenAndTheConnectionsAreLost_isAskedForAgain() throws Exception {
        try (SqlTicketStore others = store();
                SqlTicketStore store = store()) {
            TicketQueue other = Sessions.open(others, TIMEOUT).queue("x");
            TicketQueue queue = Sessions.open(store, TIMEOUT).queue("x");
            queue.onNotice(() -> queue.notice().thenAccept(notice -> read.add(notice.text())));
            Await.get(queue.notice()); // which is answered after what was asked before
            assertThat(isWatched()).isTrue();

            forgetWatches();
            server.kill();
            server.restart();

            await().atMost(SOON).until(this::isWatched);
            assertThat(Await.get(other.post(Await.get(other.notice()), "news"))).isTrue();
            await().atMost(SOON).until(() -> read.contains("news"));
        }
    }
}
