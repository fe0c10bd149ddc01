package io.wellkeeper.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.spi.DepartureWatcher;
import io.wellkeeper.spi.Lease;
import io.wellkeeper.spi.LeaseRequest;
import io.wellkeeper.spi.LeaseStore;
import io.wellkeeper.spi.Mode;
import io.wellkeeper.spi.Session;
import io.wellkeeper.spi.SessionListener;
import io.wellkeeper.spi.SessionOptions;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketQueue;
import io.wellkeeper.spi.TicketRequest;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever operators have set for users, for a database or for a whole server, a store keeps its promises. */
@Tag("full")
@ExtendWith(SharedServers.class)
class SessionSettingsTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private final PostgresServer postgres;
    private final MariaDbServer mariaDb;
    private final String prefix = RealDatabase.prefix();
    private final AtomicInteger suspected = new AtomicInteger();

    SessionSettingsTest(PostgresServer postgres, MariaDbServer mariaDb) {
        this.postgres = postgres;
        this.mariaDb = mariaDb;
    }

    static Stream<Arguments> settings() {
        return Stream.concat(
                Stream.of(
                                "SET standard_conforming_strings = off",
                                "SET default_transaction_isolation = 'serializable'",
                                "SET default_transaction_read_only = on",
                                "SET idle_session_timeout = 300",
                                "SET TimeZone = 'Asia/Kolkata'")
                        .map(each -> Arguments.of("postgresql", each)),
                Stream.of(
                                "SET SESSION sql_mode = ''",
                                "SET SESSION sql_mode = 'ORACLE'",
                                "SET SESSION sql_mode = 'EMPTY_STRING_IS_NULL,SIMULTANEOUS_ASSIGNMENT'",
                                "SET SESSION sql_mode = 'ANSI,NO_BACKSLASH_ESCAPES,HIGH_NOT_PRECEDENCE,PAD_CHAR_TO_FULL_LENGTH'",
                                "SET SESSION completion_type = 1",
                                "SET SESSION sql_select_limit = 1",
                                "SET SESSION TRANSACTION READ ONLY",
                                "SET SESSION autocommit = 0, sql_safe_updates = 1, time_zone = '+05:30'",
                                "SET SESSION max_join_size = 1, sql_big_selects = 0")
                        .map(each -> Arguments.of("mariadb", each)));
    }

    private DataSource source(String database, String setting) {
        Servers server = database.equals("mariadb") ? mariaDb : postgres;
        return (PlainDataSource) () -> {
            Connection made = server.connect();
            try (Statement statement = made.createStatement()) {
                statement.execute(setting);
            } catch (SQLException failed) {
                made.close();
                throw failed;
            }
            return made;
        };
    }

    private Session open(SqlTicketStore store, Duration timeout) {
        return Await.get(store.open(new SessionOptions("settings", timeout), new SessionListener() {
            @Override
            public void suspect(String problem) {
                suspected.incrementAndGet();
            }

            @Override
            public void live() {}

            @Override
            public void lost() {}
        }));
    }

    private static Ticket take(TicketQueue queue, String id) {
        return Await.get(queue.take(new TicketRequest(id, Mode.EXCLUSIVE, 1, "")))
                .ticket();
    }

    private SqlTicketStore store(String database, String setting) {
        return SqlTicketStore.over(source(database, setting), schema(database), prefix);
    }

    private static String schema(String database) {
        return database.equals("mariadb") ? "wellkeeper" : "public";
    }

    @ParameterizedTest
    @MethodSource("settings")
    void ticketStore_sessionIsSetUpByOthers_keepsItsPromises(String database, String setting) throws Exception {
        try (SqlTicketStore store = store(database, setting);
                SqlTicketStore usual = store(database, "SELECT 1")) {
            Session one = open(store, TIMEOUT);
            Session two = open(store, TIMEOUT);
            Session three = open(store, TIMEOUT);
            Session other = open(usual, TIMEOUT);
            TicketQueue first = one.queue("z");
            TicketQueue second = two.queue("z");
            TicketQueue third = three.queue("z");

            Queue<String> told = new ConcurrentLinkedQueue<>();
            third.onNotice(() -> third.notice().thenAccept(notice -> told.add(notice.text())));
            Ticket a = take(first, "a");
            assertThat(Await.get(first.alone(a, () -> told.add("arrived")))).isTrue();
            Ticket b = take(second, "b");
            Ticket c = take(third, "c");
            assertThat(Await.get(second.post(Await.get(second.notice()), "closed")))
                    .isTrue();
            await().untilAsserted(() -> assertThat(told).contains("arrived", "closed"));

            assertThat(Await.get(third.inspect())).hasSize(3);
            assertThat(Await.get(three.names("z"))).containsExactly("z");
            take(open(store, Duration.ofSeconds(1)).queue("z"), "dying");
            await().untilAsserted(() -> {
                for (Session each : List.of(one, two, three, other)) {
                    Await.get(each.heartbeat());
                }
                assertThat(Await.get(third.tickets())).containsExactly(a, b, c);
            });
            assertThat(Await.get(other.queue("z").tickets())).containsExactly(a, b, c);

            third.onDeparture(List.of(a, b), new DepartureWatcher() {
                @Override
                public void departed(Ticket ticket) {
                    told.add(ticket.id());
                }

                @Override
                public void changed() {}
            });
            assertThat(Await.get(other.queue("z").remove(a))).isTrue();
            Ticket milder = Await.get(second.replace(b, Mode.SHARED, 1));
            await().untilAsserted(() -> assertThat(told).contains(a.id(), b.id()));
            assertThat(Await.get(third.tickets())).containsExactly(milder, c);
            assertThat(suspected).hasValue(0);
        }
    }

    @ParameterizedTest
    @MethodSource("settings")
    void leaseTable_sessionIsSetUpByOthers_keepsItsPromises(String database, String setting) throws Exception {
        LeaseStore store = LeaseTableStore.over(source(database, setting), schema(database), prefix);
        try {
            Duration brief = Duration.ofMillis(300);
            assertThat(Await.get(store.tryAcquire(new LeaseRequest("l", "one", brief, ""))))
                    .isPresent();
            LeaseRequest two = new LeaseRequest("l", "two", TIMEOUT, "");
            await().until(() -> Await.get(store.tryAcquire(two)).isPresent());
            assertThat(Await.get(store.tryAcquire(new LeaseRequest("l", "three", brief, ""))))
                    .isEmpty();
            Lease again = Await.get(store.tryAcquire(two)).orElseThrow();
            assertThat(Await.get(store.renew(again, TIMEOUT))).isTrue();
            assertThat(Await.get(store.release(again))).isTrue();
            assertThat(Await.get(store.tryAcquire(new LeaseRequest("l", "three", brief, ""))))
                    .isPresent();
        } finally {
            store.close();
        }
    }

    /** Else its connection would stay there for hours, and each message to others wake it. */
    @Test
    void listen_clientVanishes_serverNoticesBeforeLong() throws SQLException {
        try (Connection connection = postgres.connect()) {
            new PostgreSql().listen(connection, new Tables(Optional.empty(), prefix), "session");

            try (Statement statement = connection.createStatement();
                    ResultSet row =
                            statement.executeQuery("SELECT CAST(current_setting('tcp_keepalives_idle') AS integer)"
                                    + " + CAST(current_setting('tcp_keepalives_interval') AS integer)"
                                    + " * CAST(current_setting('tcp_keepalives_count') AS integer), setting"
                                    + " FROM pg_settings WHERE name = 'tcp_user_timeout'")) {
                assertThat(row.next()).isTrue();
                assertThat(row.getInt(1)).isBetween(1, 60);
                assertThat(row.getInt(2)).isBetween(1, 60_000);
            }
        }
    }

    /** As where those who log in take on the role of the tables' owner, by {@code ALTER USER .. SET role} or the pool. */
    @Test
    void heartbeat_roleIsAnotherAndConnectionsAreLost_goesOn() throws Exception {
        try (Connection connection = postgres.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE ROLE " + prefix + "owner; GRANT ALL ON SCHEMA public TO " + prefix + "owner");
        }
        List<Connection> made = new CopyOnWriteArrayList<>();
        DataSource source = new ForwardingDataSource(source("postgresql", "SET ROLE " + prefix + "owner"), made::add);
        try (SqlTicketStore store = SqlTicketStore.over(source, "public", prefix)) {
            Session session = open(store, TIMEOUT);
            Ticket ticket = take(session.queue("z"), "a");
            for (Connection each : made) {
                each.abort(Runnable::run);
            }

            Await.get(session.heartbeat());
            assertThat(Await.get(session.queue("z").tickets())).containsExactly(ticket);
        }
    }

    /** What the lost connection has been sent must not be carried out later, when this has been asked again and given back. */
    @ParameterizedTest
    @ValueSource(strings = {"SET ROLE ", "SET SESSION AUTHORIZATION "})
    void end_userOrRoleIsAnother_endsTheLostConnection(String setting) throws SQLException {
        String another = prefix + "another";
        try (Connection connection = postgres.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE ROLE " + another);
        }
        Tables tables = new Tables(Optional.empty(), prefix);
        PostgreSql dialect = new PostgreSql();
        DataSource source = source("postgresql", setting + another);
        try (Connection lost = source.getConnection();
                Connection next = source.getConnection()) {
            String name = dialect.prepare(lost, tables, "session", Duration.ofSeconds(1));
            dialect.prepare(next, tables, "session", Duration.ofSeconds(1));

            dialect.end(next, name);

            await().until(() -> !lost.isValid(1));
            try (Statement statement = next.createStatement();
                    ResultSet row = statement.executeQuery("SELECT current_user")) {
                assertThat(row.next()).isTrue();
                assertThat(row.getString(1)).isEqualTo(another);
            }
        }
    }
}
