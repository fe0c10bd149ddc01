package io.wellkeeper.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.DistributedLock;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockStoreException;
import io.wellkeeper.spi.DepartureWatcher;
import io.wellkeeper.spi.Place;
import io.wellkeeper.spi.Session;
import io.wellkeeper.spi.StoreUri;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketQueue;
import io.wellkeeper.testservers.MariaDbProcess;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@Tag("full")
@ExtendWith(SharedServers.class)
class MariaDbTicketStoreTest {

    private final MariaDbServer server;

    MariaDbTicketStoreTest(MariaDbServer server) {
        this.server = server;
    }

    @Test
    void over_dataSourceThatTakesOneStatementAtATime_locksAndHandsOver() throws Exception {
        handsOver(() -> SqlTicketStore.over(source("root")));
    }

    @Test
    void over_userWithNoMoreThanTheTables_locksAndHandsOver() throws Exception {
        execute("CREATE USER plain", SqlTicketStore.schema("mariadb", "plain_"));
        for (String table : List.of("session", "lock", "ticket", "inbox")) {
            execute("GRANT SELECT, INSERT, UPDATE, DELETE ON wellkeeper.plain_" + table + " TO plain");
        }
        handsOver(() -> SqlTicketStore.over(source("plain"), "wellkeeper", "plain_"));
    }

    @Test
    void over_tablesAreMissingAndMayNotBeMade_saysSo() throws SQLException {
        execute("CREATE USER idle", "GRANT SELECT, INSERT, UPDATE, DELETE ON wellkeeper.* TO idle");
        SqlTicketStore store = SqlTicketStore.over(source("idle"), "wellkeeper", "missing_");

        assertThatThrownBy(() -> LockClient.over(store))
                .isInstanceOf(LockStoreException.class)
                .hasMessageContaining("CREATE command denied")
                .hasMessageContaining("missing_session");
    }

    @Test
    void close_nextIsAnotherUsersWhoMayNotBeWoken_isHadAllTheSameAndAnnounced() throws Exception {
        execute("CREATE USER lowly", "GRANT SELECT, INSERT, UPDATE, DELETE, CREATE ON wellkeeper.* TO lowly");
        try (LockClient lowly = LockClient.over(SqlTicketStore.over(source("lowly")));
                LockClient other = LockClient.over(SqlTicketStore.over(source("root")))) {
            for (int i = 0; i < 3; i++) { // from the second one on it is expected
                LockHandle held = lowly.lock("another's").acquire();
                CompletableFuture<LockHandle> waiting = other.lock("another's").acquireAsync();
                await().until(() -> lowly.admin().inspect("another's").waiters().size() == 1);
                held.close();
                waiting.get(60, TimeUnit.SECONDS).close();
            }
            assertThat(lowly.admin().storeWarnings()).anyMatch(warning -> warning.contains("another database user"));
            assertThat(other.admin().storeWarnings()).noneMatch(warning -> warning.contains("another database user"));
        }
    }

    private void handsOver(Supplier<SqlTicketStore> stores) throws Exception {
        try (LockClient first = LockClient.over(stores.get());
                LockClient second = LockClient.over(stores.get())) {
            for (int i = 0; i < 3; i++) { // from the second one on it is expected
                LockHandle held = first.lock("name").acquire();
                long token = held.fencingToken();
                CompletableFuture<LockHandle> waiting = second.lock("name").acquireAsync();
                held.close();
                LockHandle later = waiting.get(60, TimeUnit.SECONDS);
                assertThat(later.fencingToken()).isGreaterThan(token);
                later.close();
            }
        }
    }

    @Test
    void exchange_isNotCommittedYet_nextIsLetInAllTheSame() throws Exception {
        SqlTicketStore store = SqlTicketStore.over(source("root"));
        Session session = Sessions.open(store, Duration.ofSeconds(20));
        try (LockClient other = LockClient.over(SqlTicketStore.over(source("root")));
                Connection guard = server.connect()) {
            TicketQueue queue = session.queue("early");
            expectOthers(queue, other.lock("early"));
            Ticket held = Await.get(queue.take(Sessions.request("held"))).ticket();
            CompletableFuture<LockHandle> waiting = waiter(queue, other.lock("early"));
            CompletionStage<Boolean> removal;
            CompletionStage<Place> taking;
            try (Connection busy = keepBusy(session)) {
                removal = queue.remove(held);
                taking = queue.take(Sessions.request("next"));
                // the last thing that the transaction of these two needs
                lock(
                        guard,
                        "SELECT 1 FROM wellkeeper_session FORCE INDEX (life) WHERE id = '" + session.id()
                                + "' FOR UPDATE");
                busy.rollback();
            }

            LockHandle next = waiting.get(60, TimeUnit.SECONDS);

            assertThat(removal.toCompletableFuture()).isNotDone();
            guard.rollback();
            assertThat(Await.get(removal)).isTrue();
            assertThat(Await.get(taking).token()).isGreaterThan(held.number());
            next.checkHeld();
            next.close();
        } finally {
            store.close();
        }
    }

    @Test
    void exchange_answerToTheTakingWasLost_isTheSameTicket() throws Exception {
        SqlTicketStore store = SqlTicketStore.over(source("root"));
        Session session = Sessions.open(store, Duration.ofSeconds(20));
        try {
            TicketQueue queue = session.queue("again");
            Ticket held = Await.get(queue.take(Sessions.request("held"))).ticket();
            Ticket taken = Await.get(queue.take(Sessions.request("next"))).ticket();
            CompletionStage<Boolean> removal;
            CompletionStage<Place> taking;
            try (Connection busy = keepBusy(session)) {
                removal = queue.remove(held);
                taking = queue.take(Sessions.request("next"));
                busy.rollback();
            }

            assertThat(Await.get(removal)).isTrue();
            assertThat(Await.get(taking).ticket()).isEqualTo(taken);
            assertThat(Await.get(queue.tickets())).singleElement().isEqualTo(taken);
        } finally {
            store.close();
        }
    }

    @Test
    void remove_byAnotherThanTheOwner_nobodyIsToldBeforeTheCommit() throws Exception {
        SqlTicketStore store = SqlTicketStore.over(source("root"));
        Session session = Sessions.open(store, Duration.ofSeconds(20));
        try (LockClient owner = LockClient.over(SqlTicketStore.over(source("root")));
                LockClient other = LockClient.over(SqlTicketStore.over(source("root")));
                Connection stopper = server.connect();
                Statement stop = stopper.createStatement()) {
            Assumptions.assumeTrue(Vendor.of(stopper) == Vendor.MARIADB, "it can be kept from committing");
            TicketQueue queue = session.queue("broken");
            expectOthers(queue, other.lock("broken"));
            LockHandle held = owner.lock("broken").acquire();
            CompletableFuture<LockHandle> waiting = waiter(queue, other.lock("broken"));
            Ticket ticket = Await.get(queue.tickets()).get(0);
            for (String stage : List.of("START", "FLUSH", "BLOCK_DDL", "BLOCK_COMMIT")) {
                stop.execute("BACKUP STAGE " + stage);
            }
            CompletionStage<Boolean> removal = queue.remove(ticket);
            await().until(() -> count("wellkeeper_ticket WHERE number = " + ticket.number()) == 0);
            await().until(() -> count("information_schema.processlist WHERE state LIKE '%backup lock%'") > 0);

            assertThat(count("wellkeeper_inbox WHERE text LIKE 'd" + ticket.id() + "%'"))
                    .isZero();
            assertThat(waiting).isNotDone();

            stop.execute("BACKUP STAGE END");
            assertThat(Await.get(removal)).isTrue();
            await().until(() -> !held.isHeld());
            waiting.get(60, TimeUnit.SECONDS).close();
        } finally {
            store.close();
        }
    }

    /** Has somebody stand behind a ticket of the session when it goes. */
    private void expectOthers(TicketQueue queue, DistributedLock others) throws Exception {
        Ticket ticket = Await.get(queue.take(Sessions.request("once"))).ticket();
        CompletableFuture<LockHandle> behind = waiter(queue, others);
        Await.get(queue.remove(ticket));
        behind.get(60, TimeUnit.SECONDS).close();
        await().until(() -> Await.get(queue.tickets()).isEmpty());
    }

    /** Stands behind one ticket. */
    private static CompletableFuture<LockHandle> waiter(TicketQueue queue, DistributedLock lock) {
        CompletableFuture<LockHandle> waiting = lock.acquireAsync();
        await().until(() -> Await.get(queue.tickets()).size() == 2);
        return waiting;
    }

    /** Until the connection rolls back, the requests of the session gather. */
    private Connection keepBusy(Session session) throws SQLException {
        Ticket inTheWay =
                Await.get(session.queue("busy").take(Sessions.request("busy"))).ticket();
        Connection busy = server.connect();
        lock(busy, "SELECT 1 FROM wellkeeper_lock WHERE name = 'busy' FOR UPDATE");
        session.queue("busy").remove(inTheWay);
        await().until(() -> count("information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT'") > 0);
        return busy;
    }

    private static void lock(Connection connection, String row) throws SQLException {
        connection.setAutoCommit(false);
        try (Statement statement = connection.createStatement()) {
            statement.execute(row);
        }
    }

    /** Those that are not committed included. */
    private long count(String rows) throws SQLException {
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement()) {
            connection.setTransactionIsolation(Connection.TRANSACTION_READ_UNCOMMITTED);
            try (ResultSet row = statement.executeQuery("SELECT COUNT(*) FROM " + rows)) {
                row.next();
                return row.getLong(1);
            }
        }
    }

    /** Numbers are times, so that tickets of two locks may have the same one. */
    @Test
    void onDeparture_ticketsOfTwoLocksHaveOneNumberAndNobodySaysThatTheyAreGone_bothAreReported() throws Exception {
        SqlTicketStore store = SqlTicketStore.over(source("root"));
        try {
            Session holder = Sessions.open(store, Duration.ofMinutes(2));
            Session other = Sessions.open(store, Duration.ofMinutes(2));
            List<String> names = List.of("twins/one", "twins/two");
            for (String name : names) {
                Ticket first = Await.get(holder.queue(name).take(Sessions.request("first" + name.substring(6))))
                        .ticket();
                Await.get(holder.queue(name).remove(first));
            }
            execute("UPDATE wellkeeper_lock SET token = 4000000000000000 WHERE name LIKE 'twins/%'");
            List<Ticket> tickets = new ArrayList<>();
            Set<Ticket> departed = ConcurrentHashMap.newKeySet();
            for (String name : names) {
                Ticket ticket = Await.get(holder.queue(name).take(Sessions.request(name.substring(6))))
                        .ticket();
                tickets.add(ticket);
                other.queue(name).onDeparture(List.of(ticket), new DepartureWatcher() {
                    @Override
                    public void departed(Ticket gone) {
                        departed.add(gone);
                    }

                    @Override
                    public void changed() {}
                });
            }
            assertThat(tickets).extracting(Ticket::number).containsOnly(4000000000000001L);
            Await.get(other.queue("twins/one").tickets()); // so that it watches by now

            execute(
                    "UPDATE wellkeeper_lock SET queue = ' ' WHERE name LIKE 'twins/%'",
                    "DELETE FROM wellkeeper_ticket WHERE name LIKE 'twins/%'");

            await().untilAsserted(() -> assertThat(departed).containsExactlyInAnyOrderElementsOf(tickets));
        } finally {
            store.close();
        }
    }

    @Test
    void tickets_noSessionIsLeft_areNone() throws Exception {
        SqlTicketStore store = SqlTicketStore.over(source("root"));
        Session session = Sessions.open(store, Duration.ofSeconds(20));
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement()) {
            TicketQueue queue = session.queue("once");
            Await.get(queue.remove(Await.get(queue.take(Sessions.request("r"))).ticket()));
            statement.execute("DELETE FROM wellkeeper_session");

            assertThat(Await.get(queue.tickets())).isEmpty();
        } finally {
            store.close();
        }
    }

    @Test
    void onNotice_othersWhoHaveWatchedHaveDied_areForgotten() throws Exception {
        Tables tables = new Tables(Optional.empty(), RealDatabase.prefix());
        String watches = tables.fill("SELECT watches FROM {lock} WHERE name = 'noticed'");
        try (SqlTicketStore store =
                        new SqlTicketStore(Database.of(server::connect, "noticed", server.dialect(), tables));
                Connection connection = server.connect();
                Statement statement = connection.createStatement()) {
            Session session = Sessions.open(store, Duration.ofMinutes(1));
            statement.execute(tables.fill("INSERT INTO {lock} (name, token, watches) VALUES ('noticed', 0,"
                    + " ' 0:0:000000000dead 0:0:00000000dead2 ')"));

            session.queue("noticed").onNotice(() -> {});
            Await.get(session.queue("noticed").notice()); // which is answered after what was asked before

            try (ResultSet row = statement.executeQuery(watches)) {
                assertThat(row.next()).isTrue();
                assertThat(row.getString(1)).isEqualTo(" 0:0:" + session.id() + " ");
            }
        }
    }

    /** By a driver that is told of several servers; what was said of its connection is forgotten then. */
    @Test
    void take_driverHasConnectedAgainByItself_isSentOnANewConnection() throws Exception {
        try (SqlTicketStore store = SqlTicketStore.of(StoreUri.parse(server.uriOfTwoHosts()))) {
            Session session = Sessions.open(store, Duration.ofMinutes(1));
            String anchor = MariaDb.anchor(new Tables(Optional.empty(), Tables.PREFIX), session.id());
            try (Connection connection = server.connect();
                    Statement statement = connection.createStatement()) {
                statement.execute("SET @ours = IS_USED_LOCK('" + anchor + "')");
                statement.execute("KILL @ours");
                await().until(() -> "0"
                        .equals(MariaDb.value(
                                connection,
                                "SELECT CAST(COUNT(*) AS CHAR) FROM information_schema.processlist WHERE id = @ours")));

                Await.get(session.queue("again").take(Sessions.request("r")));

                assertThat(MariaDb.value(connection, "SELECT CAST(IS_USED_LOCK('" + anchor + "') <> @ours AS CHAR)"))
                        .isEqualTo("1");
            }
        }
    }

    /** Once a connection has broken the driver passes over that server for a while, and goes on to the next. */
    @Test
    void take_driverGoesOnToAReplica_isSentToThePrimaryBeforeLong() throws Exception {
        try (MariaDbProcess replica = MariaDbProcess.start("--read-only=1");
                SqlTicketStore store = SqlTicketStore.of(StoreUri.parse(server.uri(server.port())
                        .replaceFirst(
                                "mariadb://[^/]*",
                                "mariadb:sequential://127.0.0.1:" + server.port() + ",127.0.0.1:" + replica.port())))) {
            Session session = Sessions.open(store, Duration.ofMinutes(1));
            String anchor = MariaDb.anchor(new Tables(Optional.empty(), Tables.PREFIX), session.id());
            execute("SET @ours = IS_USED_LOCK('" + anchor + "')", "KILL @ours");

            CompletionStage<Place> place = session.queue("again").take(Sessions.request("r"));

            assertThat(place.toCompletableFuture().get(30, TimeUnit.SECONDS).ahead())
                    .isEmpty();
        }
    }

    @Test
    void close_rowOfItsLockWasDeleted_leavesNoTicket() throws Exception {
        Tables tables = new Tables(Optional.empty(), RealDatabase.prefix());
        try (SqlTicketStore store =
                new SqlTicketStore(Database.of(server::connect, "deleted", server.dialect(), tables))) {
            Session session = Sessions.open(store, Duration.ofMinutes(1));
            Await.get(session.queue("deleted").take(Sessions.request("r")));
            execute(tables.fill("DELETE FROM {lock}"));

            Await.get(session.close());

            assertThat(count(tables.fill("{ticket}"))).isZero();
            assertThat(count(tables.fill("{session} WHERE ended"))).isZero();
        }
    }

    private void execute(String... statements) throws SQLException {
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement()) {
            for (String each : statements) {
                statement.execute(each);
            }
        }
    }

    @Test
    void connect_byUriOfMySql_locks() throws Exception {
        String uri = server.uri(server.port()).replace("jdbc:mariadb:", "jdbc:mysql:") + "&permitMysqlScheme=true";
        try (LockClient client = LockClient.connect(uri);
                LockHandle handle = client.lock("mysql").acquire()) {
            assertThat(handle.fencingToken()).isPositive();
        }
    }

    @Test
    void connect_serverIsReadOnly_isRefused() throws SQLException {
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("SET GLOBAL read_only = ON");
            try {
                assertThatThrownBy(() -> LockClient.connect(server.uri(server.port())))
                        .isInstanceOf(LockStoreException.class)
                        .hasMessageContaining("read-only");
            } finally {
                statement.execute("SET GLOBAL read_only = OFF");
            }
        }
    }

    private DataSource source(String user) {
        return (DataSource) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {DataSource.class}, (self, method, arguments) -> {
                    assertThat(method.getName()).isEqualTo("getConnection");
                    return DriverManager.getConnection(server.uri(server.port()).replace("user=root", "user=" + user));
                });
    }
}
