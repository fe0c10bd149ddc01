package io.wellkeeper.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.spi.Lease;
import io.wellkeeper.spi.LeaseRequest;
import io.wellkeeper.spi.LeaseStore;
import io.wellkeeper.spi.Session;
import io.wellkeeper.spi.SessionOptions;
import io.wellkeeper.spi.StoreRecoveringException;
import io.wellkeeper.spi.Ticket;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Options that change how a driver sends statements, counts rows and tells of generated keys change nothing here. */
@Tag("full")
@ExtendWith(SharedServers.class)
class DriverOptionsTest {

    private static final Duration TTL = Duration.ofSeconds(20);

    private static final String MYSQL = "mysql:sslMode=DISABLED&allowPublicKeyRetrieval=true&";
    private static final String MARIADB = "mariadb:allowPublicKeyRetrieval=true&";
    private static final String POSTGRESQL = "postgresql:";

    private final PostgresServer postgres;
    private final MariaDbServer mariaDb;
    private final String prefix = RealDatabase.prefix();

    DriverOptionsTest(PostgresServer postgres, MariaDbServer mariaDb) {
        this.postgres = postgres;
        this.mariaDb = mariaDb;
    }

    /** A driver, and its options. */
    static Stream<String> drivers() {
        return Stream.of(
                MYSQL,
                MYSQL + "useAffectedRows=true",
                MYSQL + "useAffectedRows=true&useServerPrepStmts=true&cachePrepStmts=true",
                MYSQL + "useAffectedRows=true&rewriteBatchedStatements=true&allowMultiQueries=true",
                MYSQL + "maxRows=1",
                MYSQL + "defaultFetchSize=-2147483648", // and says "SET net_write_timeout" before each query
                MYSQL + "logSlowQueries=true&explainSlowQueries=true&autoSlowLog=false&useNanosForElapsedTime=true"
                        + "&slowQueryThresholdNanos=1&logger=com.mysql.cj.log.NullLogger",
                MYSQL + "useLocalSessionState=true&useLocalTransactionState=true&cacheServerConfiguration=true",
                MARIADB,
                MARIADB + "useAffectedRows=true",
                MARIADB + "useAffectedRows=true&useServerPrepStmts=true&allowMultiQueries=true",
                MARIADB + "useBulkStmts=true&useBulkStmtsForInserts=true&disablePipeline=true",
                MARIADB + "useAffectedRows=true&returnMultiValuesGeneratedIds=true",
                POSTGRESQL + "preferQueryMode=simple",
                POSTGRESQL + "stringtype=unspecified",
                POSTGRESQL + "prepareThreshold=-1",
                POSTGRESQL + "autosave=always&reWriteBatchedInserts=true&prepareThreshold=1");
    }

    private Servers server(String driver) {
        return driver.startsWith(POSTGRESQL) ? postgres : mariaDb;
    }

    private DataSource source(String driver) {
        String database = driver.startsWith(POSTGRESQL) ? "/postgres?user=postgres&" : "/wellkeeper?user=root&";
        String url = "jdbc:"
                + driver.replaceFirst(":", "://127.0.0.1:" + server(driver).port() + database);
        return (PlainDataSource) () -> DriverManager.getConnection(url);
    }

    private static Connection begin(DataSource source) throws SQLException {
        Connection connection = source.getConnection();
        connection.setAutoCommit(false);
        return connection;
    }

    @ParameterizedTest
    @MethodSource("drivers")
    void check_tokenThatIsStale_isRefused(String driver) throws SQLException {
        DataSource source = source(driver);
        Fence fence = Fence.prefixed(prefix);
        try (Connection connection = source.getConnection()) {
            fence.createTable(connection);
        }
        try (Connection connection = begin(source)) {
            for (long token : new long[] {0, 0, 5, 5, 9}) {
                fence.check(connection, "orders", token);
                connection.commit();
            }
            for (long token : new long[] {0, 5, 8}) {
                assertThatThrownBy(() -> fence.check(connection, "orders", token))
                        .isInstanceOfSatisfying(
                                StaleTokenException.class,
                                stale -> assertThat(stale.highest()).isEqualTo(9));
                connection.rollback();
            }
            fence.check(connection, "orders", 9);
            connection.commit();
        }
    }

    @ParameterizedTest
    @MethodSource("drivers")
    void tryAcquire_leaseOfAnother_isKeptUntilItIsReleased(String driver) throws SQLException {
        LibraryTables.shedLock(server(driver));
        LibraryTables.intLock(server(driver));
        DataSource source = source(driver);
        for (LeaseStore store : List.of(
                LeaseTableStore.over(source),
                ShedLockLeaseStore.over(source),
                IntLockLeaseStore.over(source, "INT_", "DEFAULT"))) {
            try {
                Lease lease = Await.get(store.tryAcquire(new LeaseRequest(prefix, prefix + "me", TTL, "")))
                        .orElseThrow();
                LeaseRequest another = new LeaseRequest(prefix, prefix + "another", TTL, "");
                assertThat(Await.get(store.tryAcquire(another))).isEmpty();
                assertThat(Await.get(store.renew(lease, TTL.plusSeconds(1)))).isTrue();
                assertThat(Await.get(store.renew(lease, TTL))).isTrue();
                assertThat(Await.get(store.tryAcquire(new LeaseRequest(prefix, prefix + "me", TTL, ""))))
                        .isPresent();
                assertThat(Await.get(store.tryAcquire(another))).isEmpty();
                assertThat(Await.get(store.release(lease))).isTrue();
                assertThat(Await.get(store.renew(lease, TTL))).isFalse();
                Lease next = Await.get(store.tryAcquire(another)).orElseThrow();
                assertThat(Await.get(store.release(lease))).isFalse();
                assertThat(Await.get(store.release(next))).isTrue();
            } finally {
                store.close();
            }
        }
    }

    @ParameterizedTest
    @MethodSource("drivers")
    void advance_versionThatIsStale_isRefused(String driver) throws SQLException {
        DataSource source = source(driver);
        String table = prefix + "cart";
        try (Connection connection = source.getConnection();
                var statement = connection.createStatement()) {
            statement.execute("CREATE TABLE " + table + " (id bigint PRIMARY KEY, version bigint NOT NULL)");
            statement.execute("INSERT INTO " + table + " VALUES (7, 41)");
        }
        OptimisticLock carts = OptimisticLock.on(source, table, "id", "version");
        try (Connection connection = begin(source)) {
            long stamp = carts.tryOptimisticRead(connection, 7L);
            assertThat(carts.advance(connection, 7L, stamp)).isEqualTo(42);
            connection.commit();
            assertThatThrownBy(() -> carts.advance(connection, 7L, stamp))
                    .isInstanceOfSatisfying(
                            StaleVersionException.class,
                            stale -> assertThat(stale.actual()).hasValue(42));
            connection.rollback();
            assertThat(carts.validate(connection, 7L, 42)).isTrue();
            connection.rollback();
        }
        assertThat(carts.<Long>update(7L, RetryPolicy.standard(), (connection, version) -> version))
                .isEqualTo(42);
    }

    @ParameterizedTest
    @MethodSource("drivers")
    void transaction_rowThatIsLocked_isWaitedFor(String driver) throws SQLException {
        RowLocks locks = RowLocks.over(source(driver), prefix);
        locks.createTable();
        long first;
        try (RowTransaction tx = locks.transaction("a")) {
            first = tx.fencingToken("a");
            assertThat(locks.tryTransaction(Duration.ZERO, "a")).isEmpty();
            tx.commit();
        }
        try (RowTransaction tx = locks.transaction("a")) {
            assertThat(tx.fencingToken("a")).isGreaterThan(first);
            tx.commit();
        }
    }

    @ParameterizedTest
    @MethodSource("drivers")
    void lock_heldByAnother_isHandedOver(String driver) throws Exception {
        try (LockClient client = LockClient.over(SqlTicketStore.over(source(driver)));
                LockClient other = LockClient.over(SqlTicketStore.over(source(driver)))) {
            LockHandle held = client.lock(prefix).acquire();
            long token = held.fencingToken();
            CompletableFuture<LockHandle> next = other.lock(prefix).acquireAsync();
            assertThat(other.lock(prefix).tryLock()).isFalse();
            held.close();
            try (LockHandle handle = next.get(60, TimeUnit.SECONDS)) {
                assertThat(handle.fencingToken()).isGreaterThan(token);
            }
        }
    }

    private String schema(String driver) {
        return driver.startsWith(POSTGRESQL) ? "public" : "wellkeeper";
    }

    @ParameterizedTest
    @MethodSource("drivers")
    void open_tableOfSessionsWasEmptied_isPutOff(String driver) throws SQLException {
        DataSource source = source(driver);
        try (SqlTicketStore store = SqlTicketStore.over(source, schema(driver), prefix)) {
            Sessions.open(store, TTL);
            try (Connection connection = source.getConnection();
                    var statement = connection.createStatement()) {
                statement.execute("DELETE FROM " + schema(driver) + "." + prefix + "session");
            }
            assertThatThrownBy(() -> Sessions.open(store, TTL)).hasRootCauseInstanceOf(StoreRecoveringException.class);
        }
    }

    @ParameterizedTest
    @MethodSource("drivers")
    void lost_timeIsUpAndAnotherSeesIt_isTold(String driver) {
        CountDownLatch lost = new CountDownLatch(1);
        try (SqlTicketStore store = SqlTicketStore.over(source(driver), schema(driver), prefix)) {
            Await.get(store.open(
                    new SessionOptions("silent", Duration.ofSeconds(4)), Sessions.listener(lost::countDown)));
            Session other = Sessions.open(store, Duration.ofMinutes(5));
            await().until(() -> {
                Await.get(other.heartbeat());
                return lost.getCount() == 0;
            });
        }
    }

    @ParameterizedTest
    @MethodSource("drivers")
    void tickets_sessionOfOneHasEnded_thoseOfTheOthersStay(String driver) {
        try (SqlTicketStore store = SqlTicketStore.over(source(driver), schema(driver), prefix)) {
            List<Session> living = Stream.generate(() -> Sessions.open(store, Duration.ofMinutes(5)))
                    .limit(3)
                    .toList();
            List<Ticket> queued = living.stream()
                    .map(each -> Await.get(each.queue("z").take(Sessions.request(each.id())))
                            .ticket())
                    .toList();
            Session dying = Sessions.open(store, Duration.ofSeconds(4));
            Ticket left =
                    Await.get(dying.queue("z").take(Sessions.request("left"))).ticket();

            await().until(() -> !Await.get(living.get(0).queue("z").tickets()).contains(left));
            for (Session each : living) {
                assertThat(Await.get(each.queue("z").tickets())).isEqualTo(queued);
            }
        }
    }
}
