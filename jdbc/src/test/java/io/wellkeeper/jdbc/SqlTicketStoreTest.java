package io.wellkeeper.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.DistributedLock;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockStoreException;
import io.wellkeeper.spi.Notice;
import io.wellkeeper.spi.Place;
import io.wellkeeper.spi.Session;
import io.wellkeeper.spi.StoreUri;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketQueue;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

@ExtendWith(SharedServers.class)
class SqlTicketStoreTest {

    private final PostgresServer server;

    SqlTicketStoreTest(PostgresServer server) {
        this.server = server;
    }

    @Test
    void over_dataSourceWithSchemaAndPrefix_locksThere() throws Exception {
        DataSource source = dataSource();
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE SCHEMA elsewhere");
            try (LockClient client = LockClient.over(SqlTicketStore.over(source, "elsewhere", "locks_"));
                    LockHandle handle = client.lock("name").acquire()) {
                assertThat(handle.fencingToken()).isPositive();
                statement.execute("SELECT FROM elsewhere.locks_ticket");
            }
        }
    }

    @Test
    void connect_byUri_locks() throws Exception {
        try (LockClient client = LockClient.connect(server.uri(server.port()));
                LockHandle handle = client.lock("name").acquire()) {
            assertThat(handle.fencingToken()).isPositive();
        }
    }

    @Test
    void remove_undoneByACrashOfTheServer_isDoneOnceMore() throws Exception {
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement();
                LockClient client = LockClient.connect(server.uri(server.port()));
                LockClient other = LockClient.connect(server.uri(server.port()))) {
            LockHandle held = client.lock("crashed").acquire();
            LockHandle kept = client.lock("kept").acquire();
            statement.execute(
                    "CREATE TABLE undone AS SELECT t.*, l.queue FROM wellkeeper_ticket t JOIN wellkeeper_lock l USING (name)"
                            + " WHERE name = 'crashed'");
            held.close();
            DistributedLock lock = other.lock("crashed");
            lock.lock();
            lock.unlock();

            statement.execute("INSERT INTO wellkeeper_ticket SELECT name, number, session, metadata FROM undone;"
                    + " UPDATE wellkeeper_lock l SET queue = undone.queue FROM undone WHERE l.name = undone.name");
            statement.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                    + " WHERE application_name = 'wellkeeper' AND pid <> pg_backend_pid()");

            assertThat(lock.tryLock(20, TimeUnit.SECONDS)).isTrue();
            lock.unlock();
            kept.checkHeld();
            assertThat(other.lock("kept").tryLock()).isFalse();
        }
    }

    @Test
    void take_rowIsInTheWayForLongerThanIsWaitedFor_isTriedAgain() throws Exception {
        SqlTicketStore store = SqlTicketStore.of(StoreUri.parse(server.uri(server.port())));
        Session session = Sessions.open(store, Duration.ofSeconds(8));
        TicketQueue queue = session.queue("in the way");
        Ticket first = Await.get(queue.take(Sessions.request("first"))).ticket();
        try (Connection blocking = server.connect();
                Statement statement = blocking.createStatement()) {
            blocking.setAutoCommit(false);
            statement.execute("SELECT FROM wellkeeper_lock WHERE name = 'in the way' FOR UPDATE");
            CompletionStage<Place> taken = queue.take(Sessions.request("second"));
            await().until(() -> !PostgresServer.blocked(statement).isEmpty());
            String attempt = PostgresServer.blocked(statement);

            await().until(() -> !PostgresServer.blocked(statement).isEmpty()
                    && !PostgresServer.blocked(statement).equals(attempt));
            blocking.rollback();

            assertThat(Await.get(taken).ahead()).containsExactly(first);
            assertThat(Await.get(queue.tickets()))
                    .containsExactly(first, Await.get(taken).ticket());
        } finally {
            store.close();
        }
    }

    @Test
    void remove_ofAnothersTicketWithATakeRightBehindIt_ownerIsTold() throws Exception {
        SqlTicketStore holders = SqlTicketStore.of(StoreUri.parse(server.uri(server.port())));
        SqlTicketStore others = SqlTicketStore.of(StoreUri.parse(server.uri(server.port())));
        try (Connection ear = server.connect();
                Connection blocking = server.connect();
                Statement statement = blocking.createStatement()) {
            Session holder = Sessions.open(holders, Duration.ofSeconds(20));
            Session other = Sessions.open(others, Duration.ofSeconds(20));
            try (Statement listening = ear.createStatement()) {
                listening.execute("LISTEN wellkeeper_" + holder.id());
            }
            Ticket held = Await.get(holder.queue("broken").take(Sessions.request("held")))
                    .ticket();
            Await.get(other.queue("busy").take(Sessions.request("once")));
            blocking.setAutoCommit(false);
            statement.execute("SELECT FROM wellkeeper_lock WHERE name = 'busy' FOR UPDATE");
            other.queue("busy").take(Sessions.request("busy"));
            await().until(() -> !PostgresServer.blocked(statement).isEmpty());
            CompletionStage<Boolean> removed = other.queue("broken").remove(held);
            CompletionStage<Place> taken = other.queue("broken").take(Sessions.request("next"));
            blocking.rollback();

            assertThat(Await.get(removed)).isTrue();
            assertThat(Await.get(taken).ahead()).isEmpty();
            await().untilAsserted(
                            () -> assertThat(ear.unwrap(PGConnection.class).getNotifications(100))
                                    .extracting(PGNotification::getParameter)
                                    .anyMatch(text -> text.startsWith("d" + held.id())));
        } finally {
            holders.close();
            others.close();
        }
    }

    /** As {@code initdb} makes it in a locale that says nothing of an encoding. */
    @Test
    void post_databaseCountsBytesForCharacters_watchersAreTold() throws Exception {
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE DATABASE bytes ENCODING 'SQL_ASCII' LOCALE 'C' TEMPLATE template0");
        }
        String uri = server.uri(server.port()).replace("/postgres?", "/bytes?");
        try (SqlTicketStore store = SqlTicketStore.of(StoreUri.parse(uri))) {
            TicketQueue queue = Sessions.open(store, Duration.ofMinutes(1)).queue("žluťoučký");
            TicketQueue same = Sessions.open(store, Duration.ofMinutes(1)).queue("žluťoučký");
            CompletableFuture<Notice> told = new CompletableFuture<>();
            queue.onNotice(() -> queue.notice().thenAccept(told::complete));
            Notice none = Await.get(queue.notice()); // the watch reports what changes from here on

            assertThat(Await.get(same.post(none, "zavřeno 🔒"))).isTrue();

            assertThat(Await.get(told).text()).isEqualTo("zavřeno 🔒");
        }
    }

    @Test
    void over_prefixThatIsNoName_isRefused() {
        DataSource source = dataSource();

        assertThatThrownBy(() -> SqlTicketStore.over(source, "public", "x; DROP TABLE users"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("prefix");
    }

    @ParameterizedTest
    @ValueSource(strings = {"-1", "few", "1e9", ""})
    void of_listenersThatAreNoNumber_isRefused(String number) {
        StoreUri uri = StoreUri.parse(server.uri(server.port()) + "&listeners=" + number);

        assertThatThrownBy(() -> SqlTicketStore.of(uri))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("listeners");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "jdbc:mariadb://127.0.0.1/locks?listeners=5",
                "jdbc:mysql://127.0.0.1/locks?listeners=5",
                "jdbc:sqlite:locks.db?listeners=5",
                "jdbc:postgresql://127.0.0.1/locks?anyFileSystem=true",
                "jdbc:mariadb://127.0.0.1/locks?anyFileSystem=true"
            })
    void of_parameterOfAnotherDatabase_isRefused(String uri) {
        assertThatThrownBy(() -> SqlTicketStore.of(StoreUri.parse(uri)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("only");
    }

    @Test
    void over_fewerListenersThanNone_isRefused() {
        DataSource source = dataSource();

        assertThatThrownBy(() -> SqlTicketStore.over(source, "public", "locks_", -1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("listeners");
    }

    @Test
    void of_uriOfAnotherKind_isRefusedWithoutSecrets() {
        assertThatThrownBy(() -> SqlTicketStore.of(StoreUri.parse("jdbc:oracle:thin:@host?password=secret")))
                .isInstanceOf(IllegalArgumentException.class)
                .message()
                .doesNotContain("secret");
        assertThatThrownBy(() -> SqlTicketStore.of(StoreUri.parse("jdbc:postgresql://me:secret@host/database")))
                .isInstanceOf(IllegalArgumentException.class)
                .message()
                .doesNotContain("secret");
    }

    @Test
    void over_databaseIsMissing_failsWithoutTheDriversException() {
        StoreUri nowhere = StoreUri.parse("jdbc:postgresql://127.0.0.1:" + server.port() + "/missing?user=postgres");

        assertThatThrownBy(() -> LockClient.over(SqlTicketStore.of(nowhere)))
                .isInstanceOf(LockStoreException.class)
                .hasMessageContaining("does not exist");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3}) // to see what is there, for requests, for messages
    void open_dataSourceThrowsWhatItShouldNot_failsWithItAndLeavesNoConnection(int connection) {
        Queue<Connection> connections = new ConcurrentLinkedQueue<>();
        PlainDataSource source = () -> {
            if (connections.size() + 1 == connection) {
                throw new IllegalStateException("the pool is closed");
            }
            Connection made = server.connect();
            connections.add(made);
            return made;
        };

        assertThatThrownBy(() -> Sessions.open(SqlTicketStore.over(source), Duration.ofSeconds(8)))
                .cause()
                .isInstanceOf(LockStoreException.class)
                .hasMessageContaining("the pool is closed");
        await().untilAsserted(() -> assertThat(connections)
                .hasSize(connection - 1)
                .allSatisfy(made -> assertThat(made.isClosed()).isTrue()));
    }

    @Test
    void listen_dataSourceThrowsWhatItShouldNot_isTriedAgain() throws Exception {
        AtomicInteger attempts = new AtomicInteger();
        PlainDataSource source = () -> {
            if (Thread.currentThread().getName().startsWith("wellkeeper-jdbc-messages")
                    && attempts.incrementAndGet() == 1) {
                throw new IllegalStateException("the pool is busy");
            }
            return DriverManager.getConnection(server.uri(server.port()) + "&ApplicationName=wellkeeper");
        };
        try (LockClient client = LockClient.over(SqlTicketStore.over(source))) {
            server.killConnections();

            await().until(() -> attempts.get() > 1);

            client.lock("name").acquire().close();
        }
    }

    private DataSource dataSource() {
        return (DataSource) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {DataSource.class}, (self, method, arguments) -> {
                    assertThat(method.getName()).isEqualTo("getConnection");
                    return server.connect();
                });
    }
}
