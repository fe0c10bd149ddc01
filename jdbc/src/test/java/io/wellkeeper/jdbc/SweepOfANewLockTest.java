package io.wellkeeper.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.spi.Session;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketQueue;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** PostgreSQL stands still in the midst of a sweep of a lock that has no row yet, and meanwhile others use that lock. */
@Tag("full")
@ExtendWith(SharedServers.class)
class SweepOfANewLockTest {

    private static final Duration TIMEOUT = Duration.ofMinutes(5);

    private final PostgresServer server;
    private final Tables tables = new Tables(Optional.empty(), RealDatabase.prefix());
    private final List<Script> sweep = Arrays.stream(
                    Script.read(PostgreSql.FOLDER, "sweep.sql", tables).split(Script.END_OF_STATEMENT))
            .map(Script::parse)
            .toList();

    SweepOfANewLockTest(PostgresServer server) {
        this.server = server;
    }

    private static void run(Connection connection, Script script) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(script.sql())) {
            for (int i = 1; i <= script.parameters().size(); i++) {
                statement.setString(i, "new");
            }
            statement.execute();
        }
    }

    @Test
    void sweep_othersTakeTheLockForTheFirstTimeMeanwhile_noneOfThemIsHidden() throws Exception {
        try (SqlTicketStore store = new SqlTicketStore(Database.of(server::connect, "new", server.dialect(), tables));
                Connection sweeping = server.connect();
                Connection taking = server.connect();
                Connection looking = server.connect();
                Statement take = taking.createStatement();
                Statement look = looking.createStatement()) {
            TicketQueue queue = Sessions.open(store, TIMEOUT).queue("new");
            Session last = Sessions.open(store, TIMEOUT);
            run(sweeping, sweep.get(0));
            run(sweeping, sweep.get(1));

            Ticket first = Await.get(queue.take(Sessions.request("first"))).ticket();
            queue.onNotice(() -> {});
            Await.get(queue.notice()); // which is answered after what was asked before
            taking.setAutoCommit(false);
            take.execute(tables.fill("UPDATE {lock} SET token = token + 1, queue = queue || (token + 1) || ':"
                    + last.id() + ":last:0:0:1 ' WHERE name = 'new'"));
            take.execute(tables.fill("INSERT INTO {ticket} (name, number, session, metadata) SELECT name, token, '"
                    + last.id() + "', '' FROM {lock} WHERE name = 'new'"));
            CompletableFuture<Object> swept = Calls.start(() -> {
                run(sweeping, sweep.get(2));
                run(sweeping, sweep.get(3));
            });
            await().until(() -> swept.isDone() || !PostgresServer.blocked(look).isEmpty());
            taking.commit();
            assertThat(Calls.result(swept)).isEqualTo(Calls.PASSED);

            assertThat(Await.get(queue.tickets()))
                    .extracting(Ticket::session)
                    .containsExactly(first.session(), last.id());
        }
    }
}
