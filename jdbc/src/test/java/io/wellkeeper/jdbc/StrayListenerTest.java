package io.wellkeeper.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A client whose requests are answered, while messages do not reach it. */
class StrayListenerTest {

    private static final RealDatabase SERVER = RealDatabase.POSTGRESQL;
    private static final ClientOptions OPTIONS =
            ClientOptions.builder().sessionTimeout(Duration.ofMinutes(2)).build();

    private final Tables tables = new Tables(Optional.empty(), RealDatabase.prefix());
    private final String former = "former_" + tables.prefix();
    private final String promoted = "promoted_" + tables.prefix();
    private final List<Connection> made = new CopyOnWriteArrayList<>();
    private volatile String target = former;
    private volatile boolean refused;

    private Connection connect(String database) throws SQLException {
        return DriverManager.getConnection(
                SERVER.uri("jdbc:", SERVER.port()).replaceFirst("(:[0-9]+/)[^?]*", "$1" + database));
    }

    private LockClient client() {
        Database.Source source = () -> {
            if (refused && Thread.currentThread().getName().startsWith("wellkeeper-jdbc-messages")) {
                throw new SQLException("nobody may listen, says the test", "42501");
            }
            Connection connection = connect(target);
            made.add(connection);
            return connection;
        };
        Database database = Database.of(source, "a server", new PostgreSql(), tables);
        return LockClient.over(new SqlTicketStore(database), OPTIONS);
    }

    /** All that there is are sessions. */
    private void replicate() throws SQLException {
        try (Connection from = connect(former);
                Connection to = connect(promoted);
                Statement reading = from.createStatement();
                Statement writing = to.createStatement();
                var rows =
                        reading.executeQuery(tables.fill("SELECT id, expires FROM {session} WHERE length(id) = 13"))) {
            new PostgreSql().createTables(to, tables);
            while (rows.next()) {
                writing.execute(tables.fill("INSERT INTO {session} (id, client, expires) VALUES ('" + rows.getString(1)
                        + "', '', '" + rows.getString(2) + "')"));
            }
        }
    }

    private static void assertHearsOfItsTurn(LockClient one, LockClient other) throws Exception {
        LockHandle held = other.lock("turns").acquire();
        CompletableFuture<LockHandle> turn = one.lock("turns").acquireAsync();
        await().atMost(Duration.ofSeconds(30))
                .until(() -> other.admin().inspect("turns").waiters().size() == 1);

        held.close();

        LockHandle mine = turn.get(60, TimeUnit.SECONDS);
        assertThat(mine.isHeld()).isTrue();
        mine.close();
    }

    /**
     * A replica has taken over, and the former server runs on: connections that are made now lead to the new one, and those that
     * did not break to the former one. Here two databases of one server are the two, as messages do not go from one to the other.
     */
    @Test
    void acquire_requestsGoToAnotherServerThanTheListener_hearsOfItsTurn() throws Exception {
        SERVER.execute("CREATE DATABASE " + former);
        SERVER.execute("CREATE DATABASE " + promoted);
        try (LockClient one = client()) {
            one.lock("first").acquire().close(); // it has its session
            replicate();
            target = promoted;
            made.get(0).abort(Runnable::run); // of the requests
            try (LockClient other = client()) {
                assertHearsOfItsTurn(one, other);
            }
        }
    }

    @Test
    void acquire_mayNotListenAnyMore_hearsOfItsTurn() throws Exception {
        SERVER.execute("CREATE DATABASE " + former);
        try (LockClient one = client();
                LockClient other = client()) {
            one.lock("first").acquire().close();
            other.lock("first").acquire().close();
            refused = true;
            made.get(1).abort(Runnable::run); // of the messages
            assertHearsOfItsTurn(one, other);
        }
    }
}
