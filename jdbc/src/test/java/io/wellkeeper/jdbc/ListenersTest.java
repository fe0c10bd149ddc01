package io.wellkeeper.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.DistributedLock;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.spi.DepartureWatcher;
import io.wellkeeper.spi.Mode;
import io.wellkeeper.spi.Notice;
import io.wellkeeper.spi.Session;
import io.wellkeeper.spi.StoreUri;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketQueue;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/** More sessions than may listen. */
@Tag("full")
@ExtendWith(SharedServers.class)
class ListenersTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    private final PostgresServer server;
    private final String prefix =
            "few_" + UUID.randomUUID().toString().replace("-", "").substring(0, 16) + "_";
    private Connection connection;
    private Statement statement;

    ListenersTest(PostgresServer server) {
        this.server = server;
    }

    @BeforeEach
    void connect() throws SQLException {
        connection = server.connect();
        statement = connection.createStatement();
    }

    @AfterEach
    void disconnect() throws SQLException {
        for (String table : List.of("session", "lock", "ticket")) {
            statement.execute("DROP TABLE IF EXISTS " + prefix + table);
        }
        statement.execute("DROP FUNCTION IF EXISTS " + prefix + "wait");
        connection.close();
    }

    private String uri(int listeners) {
        return server.uri(server.port()) + "&prefix=" + prefix + "&ApplicationName=" + prefix + "&listeners="
                + listeners;
    }

    private List<String> query(String sql) throws SQLException {
        List<String> found = new ArrayList<>();
        try (ResultSet rows = statement.executeQuery(sql.formatted(prefix))) {
            while (rows.next()) {
                found.add(rows.getString(1));
            }
        }
        return found;
    }

    private void awaitTickets(int count) {
        await().until(() -> query("SELECT number FROM %sticket").size() == count);
    }

    /** But how the server keeps its data. */
    private static List<String> warnings(LockClient client) {
        return client.admin().storeWarnings().stream()
                .filter(warning -> warning.contains("listen"))
                .toList();
    }

    @Test
    void connect_asManyListenAsMay_nextSaysSoAndGetsItsLockAllTheSame() throws Exception {
        try (LockClient first = LockClient.connect(uri(2));
                LockClient second = LockClient.connect(uri(2));
                LockClient third = LockClient.connect(uri(2))) {
            assertThat(warnings(first)).isEmpty();
            assertThat(warnings(second)).isEmpty();
            assertThat(warnings(third))
                    .singleElement()
                    .asString()
                    .startsWith("no more than 2 clients may listen")
                    .contains("'listeners'");
            await().until(() -> query("SELECT pid FROM pg_stat_activity WHERE application_name = '%s'")
                            .size()
                    == 5); // two, two and one

            LockHandle held = first.lock("crowded").acquire();
            CompletableFuture<LockHandle> polling = third.lock("crowded").acquireAsync();
            awaitTickets(2);
            CompletableFuture<LockHandle> listening = second.lock("crowded").acquireAsync();
            awaitTickets(3);
            held.close();
            polling.get(60, TimeUnit.SECONDS).close();
            listening.get(60, TimeUnit.SECONDS).close();
        }
    }

    @Test
    void connect_listenerHasLeft_listensInItsPlace() throws Exception {
        LockClient first = LockClient.connect(uri(1));
        try (LockClient second = LockClient.connect(uri(1))) {
            assertThat(warnings(second)).isNotEmpty();
            first.close();

            try (LockClient third = LockClient.connect(uri(1))) {
                assertThat(warnings(third)).isEmpty();
                assertThat(warnings(second)).isNotEmpty();
            }
        }
    }

    @Test
    void open_manyAtOnce_noMoreListenThanMay() throws Exception {
        SqlTicketStore store = SqlTicketStore.of(StoreUri.parse(uri(3)));
        try {
            Sessions.open(store, TIMEOUT);
            statement.execute(("CREATE FUNCTION %1$swait() RETURNS trigger LANGUAGE plpgsql AS"
                            + " 'BEGIN PERFORM pg_advisory_xact_lock_shared(1); RETURN new; END';"
                            + " CREATE TRIGGER wait BEFORE INSERT ON %1$ssession FOR EACH ROW EXECUTE FUNCTION %1$swait();"
                            + " SELECT pg_advisory_lock(1)")
                    .formatted(prefix));
            List<CompletableFuture<Session>> opening = IntStream.range(0, 8)
                    .mapToObj(i -> CompletableFuture.supplyAsync(
                            () -> Sessions.open(store, TIMEOUT), task -> new Thread(task).start()))
                    .toList();
            await().until(() -> query("SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")
                            .size()
                    == 8);
            statement.execute("SELECT pg_advisory_unlock(1)");
            opening.forEach(Await::get);

            assertThat(query("SELECT id FROM %ssession WHERE length(id) = 13"))
                    .hasSize(9)
                    .filteredOn(id -> !id.startsWith("p"))
                    .hasSize(3);
        } finally {
            store.close();
        }
    }

    @Test
    void anything_concernsOneWhoPolls_onlyThoseWhoListenAreTold() throws Exception {
        SqlTicketStore store = SqlTicketStore.of(StoreUri.parse(uri(1)));
        try {
            Session listening = Sessions.open(store, TIMEOUT);
            Session polling = Sessions.open(store, TIMEOUT);
            statement.execute("LISTEN " + prefix + listening.id());
            statement.execute("LISTEN " + prefix + polling.id());
            TicketQueue there = listening.queue("watched");
            TicketQueue here = polling.queue("watched");
            CompletableFuture<Notice> noticed = new CompletableFuture<>();
            here.onNotice(() -> here.notice().thenAccept(noticed::complete));

            Ticket replaced =
                    Await.get(there.take(Sessions.request("replaced"))).ticket();
            Ticket next = Await.get(here.take(Sessions.request("next"))).ticket();
            Ticket milder = Await.get(there.replace(replaced, Mode.SHARED, 1));
            CompletableFuture<Ticket> departed = departure(here, milder);
            CompletionStage<Boolean> removed = there.remove(milder);
            Await.get(there.take(Sessions.request("exchanged")));
            assertThat(Await.get(removed)).isTrue();
            assertThat(Await.get(departed)).isEqualTo(milder);
            assertThat(Await.get(there.post(Await.get(there.notice()), "posted")))
                    .isTrue();
            assertThat(Await.get(noticed).text()).isEqualTo("posted");
            assertThat(Await.get(here.remove(next))).isTrue();
            Ticket swept = Await.get(there.tickets()).get(0);
            Await.get(here.take(Sessions.request("last")));
            CompletableFuture<Ticket> left = departure(here, swept);
            Await.get(listening.close());
            assertThat(Await.get(left)).isEqualTo(swept);

            statement.execute("SELECT");
            assertThat(Stream.of(connection.unwrap(PGConnection.class).getNotifications())
                            .filter(message -> !message.getParameter().equals("dprobe")))
                    .extracting(PGNotification::getName)
                    .containsOnly(prefix + listening.id());
        } finally {
            store.close();
        }
    }

    private static CompletableFuture<Ticket> departure(TicketQueue queue, Ticket ticket) {
        CompletableFuture<Ticket> departed = new CompletableFuture<>();
        queue.onDeparture(List.of(ticket), new DepartureWatcher() {
            @Override
            public void departed(Ticket gone) {
                departed.complete(gone);
            }

            @Override
            public void changed() {}
        });
        return departed;
    }

    @Test
    void remove_byOneWhoPollsUndoneByACrashOfTheServer_isDoneOnceMore() throws Exception {
        try (LockClient polling = LockClient.connect(uri(0));
                LockClient other = LockClient.connect(uri(0))) {
            LockHandle held = polling.lock("crashed").acquire();
            statement.execute(("CREATE TEMP TABLE undone AS SELECT t.*, l.queue FROM %1$sticket t JOIN %1$slock l"
                            + " USING (name)")
                    .formatted(prefix));
            held.close();
            DistributedLock lock = other.lock("crashed");
            lock.lock();
            lock.unlock();
            awaitTickets(0);

            statement.execute(("INSERT INTO %1$sticket SELECT name, number, session, metadata FROM undone;"
                            + " UPDATE %1$slock l SET queue = undone.queue FROM undone WHERE l.name = undone.name")
                    .formatted(prefix));
            statement.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '%s'"
                    .formatted(prefix));

            assertThat(lock.tryLock(20, TimeUnit.SECONDS)).isTrue();
            lock.unlock();
        }
    }
}
