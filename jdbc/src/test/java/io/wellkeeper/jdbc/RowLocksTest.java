package io.wellkeeper.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.LockLostException;
import io.wellkeeper.LockStoreException;
import io.wellkeeper.testservers.TcpProxy;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

class RowLocksTest {

    private static final int THREADS = 8;
    private static final int ROUNDS = 25;
    private static final Duration LATE = Duration.ofSeconds(5); // on a machine with much else to do

    private final String prefix = RealDatabase.prefix();

    private RowLocks locks(RealDatabase database) throws SQLException {
        RowLocks locks = RowLocks.over(database, prefix);
        locks.createTable();
        return locks;
    }

    /** What is passed over is that a statement failed, which has ended the transaction, as a deadlock does elsewhere. */
    @ParameterizedTest
    @CsvSource({"POSTGRESQL, SELECT 1 / 0", "POSTGRESQL, ROLLBACK", "MARIADB, ROLLBACK"})
    void checkHeld_transactionWasRolledBack_saysSoAndCommitsNothing(RealDatabase database, String sql)
            throws Exception {
        RowLocks locks = locks(database);
        RowTransaction tx = locks.transaction("rolled", "back");
        tx.checkHeld();
        try (Statement statement = tx.connection().createStatement()) {
            statement.execute(sql);
        } catch (SQLException passedOver) {
            assertThat(passedOver.getMessage()).contains("zero");
        }
        try (RowTransaction next = locks.transaction("rolled", "back")) {
            assertThatThrownBy(tx::checkHeld).isInstanceOf(LockLostException.class);
            next.checkHeld();
        }
        assertThatThrownBy(tx::commit).isInstanceOf(SQLException.class);
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "SQLITE")
    void transaction_whileAnotherHasOneOfTheNames_waitsForItsCommit(RealDatabase database) throws Exception {
        RowLocks locks = locks(database);
        CompletableFuture<Object> second;
        long first;
        try (RowTransaction tx = locks.transaction("b", "a")) {
            assertThat(tx.names()).containsExactlyInAnyOrder("a", "b");
            first = tx.fencingToken("b");
            second = Calls.start(() -> {
                try (RowTransaction next = locks.transaction("c", "b")) {
                    assertThat(next.fencingToken("b")).isGreaterThan(first);
                }
            });
            await().until(() -> database.waiting() == 1);
            tx.commit();
        }
        assertThat(Calls.result(second)).isEqualTo(Calls.PASSED);
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "SQLITE")
    void transaction_namesInAnotherOrder_lockedInOneOrderForAll(RealDatabase database) throws Exception {
        RowLocks locks = locks(database);
        locks.prepare("a", "b");
        try (RowTransaction tx = locks.transaction("b")) {
            CompletableFuture<Object> both =
                    Calls.start(() -> locks.transaction("b", "a").close());
            await().until(() -> database.waiting() == 1);
            assertThat(locks.tryTransaction(Duration.ZERO, "a"))
                    .as("the first, while the second is waited for")
                    .isEmpty();
            tx.commit();
            assertThat(Calls.result(both)).isEqualTo(Calls.PASSED);
        }
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "SQLITE")
    void transaction_whoeverMakesTheRowHasNotCommittedIt_waitsForThat(RealDatabase database) throws Exception {
        locks(database);
        CountDownLatch made = new CountDownLatch(1);
        CountDownLatch commits = new CountDownLatch(1);
        AtomicInteger connections = new AtomicInteger();
        RowLocks locks = RowLocks.over(
                (PlainDataSource) () -> {
                    Connection connection = database.getConnection();
                    connection.setAutoCommit(false);
                    return connections.incrementAndGet() > 1 ? connection : lateToCommit(connection, made, commits);
                },
                prefix);
        CompletableFuture<Object> first =
                Calls.start(() -> locks.transaction("a").close());
        assertThat(made.await(60, TimeUnit.SECONDS)).isTrue();
        CompletableFuture<Object> second =
                Calls.start(() -> locks.transaction("a").close());
        await().until(() -> second.isDone() || database.waiting() == 1);
        commits.countDown();
        assertThat(Calls.result(first)).isEqualTo(Calls.PASSED);
        assertThat(Calls.result(second)).isEqualTo(Calls.PASSED);
    }

    /** Waits before the first commit behind an insertion, whether that is asked for or comes with autocommit. */
    private static Connection lateToCommit(Connection connection, CountDownLatch made, CountDownLatch commits) {
        AtomicBoolean inserts = new AtomicBoolean();
        return (Connection) Proxy.newProxyInstance(
                RowLocksTest.class.getClassLoader(), new Class<?>[] {Connection.class}, (self, method, arguments) -> {
                    String called = method.getName();
                    if (called.equals("prepareStatement") && ((String) arguments[0]).startsWith("INSERT")) {
                        inserts.set(true);
                    } else if (inserts.get() && (called.equals("commit") || called.equals("setAutoCommit"))) {
                        inserts.set(false);
                        made.countDown();
                        commits.await();
                    }
                    try {
                        return method.invoke(connection, arguments);
                    } catch (InvocationTargetException failed) {
                        throw failed.getCause();
                    }
                });
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "SQLITE")
    void createTable_connectionOfAPoolDoesNotCommitByItself_isMade(RealDatabase database) throws Exception {
        try (Connection connection = database.begin()) {
            RowLocks locks = RowLocks.over((PlainDataSource) () -> unclosable(connection), prefix);

            locks.createTable();

            assertThat(connection.getAutoCommit()).isFalse();
            locks.transaction("a").close();
        }
    }

    @Tag("full")
    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "SQLITE")
    void transaction_firstUseOfANameByManyAtOnce_nobodyIsTogetherWithAnother(RealDatabase database) throws Exception {
        locks(database);
        String counter = prefix + "counter";
        database.execute("CREATE TABLE " + counter + " (n bigint, token bigint)");
        database.execute("INSERT INTO " + counter + " VALUES (0, 0)");
        AtomicInteger backwards = new AtomicInteger();
        List<CompletableFuture<Object>> threads = new ArrayList<>();
        for (int thread = 0; thread < THREADS; thread++) {
            RowLocks locks = RowLocks.over(database, prefix); // as in a process of its own
            String other = "other " + thread % 3;
            threads.add(Calls.start(() -> {
                for (int round = 0; round < ROUNDS; round++) {
                    try (RowTransaction tx = locks.transaction("counter", other)) {
                        if (!count(tx, counter)) {
                            backwards.incrementAndGet();
                        }
                        tx.commit();
                    }
                }
            }));
        }
        for (CompletableFuture<Object> thread : threads) {
            assertThat(Calls.result(thread)).isEqualTo(Calls.PASSED);
        }
        assertThat(database.number("SELECT n FROM " + counter)).isEqualTo(THREADS * ROUNDS);
        assertThat(backwards).hasValue(0);
    }

    /** Reads, and writes what it has read plus one, so that a second one at the same time would be seen. */
    private static boolean count(RowTransaction tx, String counter) throws SQLException {
        long token = tx.fencingToken("counter");
        try (Statement statement = tx.connection().createStatement();
                ResultSet row = statement.executeQuery("SELECT n, token FROM " + counter)) {
            row.next();
            long n = row.getLong(1);
            boolean grows = row.getLong(2) < token;
            statement.execute("UPDATE " + counter + " SET n = " + (n + 1) + ", token = " + token);
            return grows;
        }
    }

    @ParameterizedTest
    @CsvSource({"POSTGRESQL, 0", "POSTGRESQL, 300", "MARIADB, 0", "MARIADB, 300", "MARIADB, 3200"})
    void tryTransaction_nameStaysLocked_emptyWhenTheTimeIsUp(RealDatabase database, long millis) throws Exception {
        RowLocks locks = locks(database);
        Duration wait = Duration.ofMillis(millis);
        Duration enough = wait.isZero() ? wait : wait.plus(LATE); // a free name is locked also by a wait of zero
        try (RowTransaction tx = locks.transaction("b")) {
            assertThat(tx.names()).containsExactly("b");
            locks.prepare("a");
            long start = System.nanoTime();
            assertThat(locks.tryTransaction(wait, "a", "b", "c")).isEmpty();
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(wait, wait.plus(LATE));
            assertThat(locks.tryTransaction(enough, "a")).hasValueSatisfying(RowTransaction::close);
        }
        assertThat(locks.tryTransaction(enough, "a", "b", "c")).hasValueSatisfying(RowTransaction::close);
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "SQLITE")
    void close_withoutCommit_rollsBackAndFrees(RealDatabase database) throws Exception {
        RowLocks locks = locks(database);
        String data = prefix + "data";
        database.execute("CREATE TABLE " + data + " (n bigint)");
        RowTransaction tx = locks.transaction("a");
        try (tx;
                Statement statement = tx.connection().createStatement()) {
            statement.execute("INSERT INTO " + data + " VALUES (1)");
            tx.checkHeld();
        }
        tx.close();
        assertThatThrownBy(tx::connection).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(tx::commit).isInstanceOf(IllegalStateException.class);
        assertThat(database.number("SELECT count(*) FROM " + data)).isZero();
        assertThat(locks.tryTransaction(Duration.ZERO, "a")).hasValueSatisfying(RowTransaction::close);
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "SQLITE")
    void names_thatDifferInCaseOrBlanks_areDifferentLocks(RealDatabase database) throws Exception {
        RowLocks locks = locks(database);
        try (RowTransaction tx = locks.transaction("a", "A", "a ", "\u00e1", "\ud83d\udd12")) {
            assertThat(tx.names()).hasSize(5);
            assertThat(locks.tryTransaction(Duration.ZERO, "\ud83d\udd13", " a"))
                    .hasValueSatisfying(RowTransaction::close);
            assertThat(locks.tryTransaction(Duration.ZERO, "\ud83d\udd12")).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "SQLITE")
    void in_waitInVain_transactionOfTheUserGoesOnAsItWas(RealDatabase database) throws Exception {
        RowLocks locks = locks(database);
        String data = prefix + "data";
        database.execute("CREATE TABLE " + data + " (n bigint)");
        String setting = database == RealDatabase.POSTGRESQL
                ? "SELECT setting FROM pg_settings WHERE name = 'lock_timeout'"
                : "SELECT @@innodb_lock_wait_timeout";
        try (RowTransaction tx = locks.transaction("b");
                Connection mine = database.begin();
                Statement statement = mine.createStatement()) {
            statement.execute(
                    database == RealDatabase.POSTGRESQL
                            ? "SET lock_timeout = '77s'"
                            : "SET innodb_lock_wait_timeout = 77");
            statement.execute("INSERT INTO " + data + " VALUES (1)");
            assertThat(locks.in(mine).tryLock(Duration.ofMillis(2100), "a", "b"))
                    .isEmpty();
            assertThat(read(statement, setting)).startsWith("77");
            statement.execute("INSERT INTO " + data + " VALUES (2)");
            tx.commit();
            Optional<Map<String, Long>> tokens = locks.in(mine).tryLock(Duration.ofSeconds(5), "a", "b");
            assertThat(tokens).hasValueSatisfying(drawn -> assertThat(drawn).containsOnlyKeys("a", "b"));
            assertThat(read(statement, setting)).startsWith("77");
            assertThat(locks.tryTransaction(Duration.ZERO, "a")).isEmpty();
            mine.commit();
        }
        assertThat(database.number("SELECT count(*) FROM " + data)).isEqualTo(2);
        assertThat(locks.tryTransaction(Duration.ZERO, "a")).hasValueSatisfying(RowTransaction::close);
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "SQLITE")
    void in_lockOfOneNameWithATime_tokenOrTimeout(RealDatabase database) throws Exception {
        RowLocks locks = locks(database);
        try (Connection mine = database.begin()) {
            try (RowTransaction tx = locks.transaction("a")) {
                assertThatThrownBy(() -> locks.in(mine).lock("a", Duration.ofMillis(50)))
                        .isInstanceOf(TimeoutException.class)
                        .hasMessageContaining("'a'");
                long before = tx.fencingToken("a");
                tx.commit();
                assertThat(locks.in(mine).lock("a", Duration.ofSeconds(5))).isGreaterThan(before);
            }
            assertThat(locks.tryTransaction(Duration.ZERO, "a")).isEmpty();
            mine.rollback();
        }
    }

    @Test
    void in_timeZoneInWhichTheClockHasJustBeenPutBack_tokenIsOfThisHour() throws Exception {
        RealDatabase database = RealDatabase.MARIADB;
        RowLocks locks = locks(database);
        for (String sql : List.of(
                "REPLACE INTO mysql.time_zone VALUES (977, 'N')",
                "REPLACE INTO mysql.time_zone_name VALUES ('Test/PutBack', 977)",
                "REPLACE INTO mysql.time_zone_transition_type VALUES (977, 0, 3600, 1, 'S'), (977, 1, 0, 0, 'W')",
                "REPLACE INTO mysql.time_zone_transition VALUES (977, 1000000000, 0), (977, UNIX_TIMESTAMP() - 60, 1)")) {
            database.execute(sql);
        }
        long before = database.number("SELECT TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))");
        try (Connection mine = database.begin();
                Statement statement = mine.createStatement()) {
            statement.execute("SET time_zone = 'Test/PutBack'");

            assertThat(locks.in(mine).lock("a", LATE)).isGreaterThanOrEqualTo(before);
            mine.rollback();
        }
    }

    private static String read(Statement statement, String sql) throws SQLException {
        try (ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getString(1);
        }
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "SQLITE")
    void in_twoTransactionsInOppositeOrder_oneFailsClearly(RealDatabase database) throws Exception {
        RowLocks locks = locks(database);
        try (Connection one = database.begin();
                Connection other = database.begin()) {
            locks.in(one).lock("a");
            locks.in(other).lock("b");
            CompletableFuture<Object> crossing = Calls.start(() -> {
                try {
                    locks.in(one).lock("b");
                } finally {
                    one.rollback();
                }
            });
            await().until(() -> database.waiting() == 1);
            CompletableFuture<Object> crossed = Calls.start(() -> {
                try {
                    locks.in(other).lock("a");
                } finally {
                    other.rollback();
                }
            });
            List<Object> results = List.of(Calls.result(crossing), Calls.result(crossed));
            assertThat(results)
                    .contains(Calls.PASSED)
                    .anySatisfy(result -> assertThat(result).isInstanceOf(LockStoreException.class));
        }
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "SQLITE")
    void in_autocommitMode_refused(RealDatabase database) throws Exception {
        RowLocks locks = locks(database);
        try (Connection connection = database.getConnection()) {
            assertThatThrownBy(() -> locks.in(connection).lock("a")).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> locks.in(connection).lock()).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "SQLITE")
    void transaction_rowWasDeletedByAnOperator_toldOnceThenMadeAgain(RealDatabase database) throws Exception {
        RowLocks locks = locks(database);
        locks.transaction("a").close();
        database.execute("DELETE FROM " + prefix + "row");
        assertThatThrownBy(() -> locks.transaction("a"))
                .isInstanceOf(LockStoreException.class)
                .hasMessageContaining("deleted");
        locks.transaction("a").close();
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "SQLITE")
    void transaction_whoseConnectionIsKilled_noticesAndFreesTheRow(RealDatabase database) throws Exception {
        RowLocks locks = locks(database);
        try (RowTransaction tx = locks.transaction("a")) {
            kill(database, tx.connection());
            assertThatThrownBy(tx::checkHeld).isInstanceOf(LockLostException.class);
            locks.transaction("a").close();
            assertThatThrownBy(tx::commit).isInstanceOf(SQLException.class);
        }
    }

    @Tag("full")
    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "SQLITE")
    void tryTransaction_networkIsDead_givesUp(RealDatabase database) throws Exception {
        locks(database).prepare("a");
        try (TcpProxy proxy = TcpProxy.of(database.port())) {
            PlainDataSource source = () -> {
                Connection connection = database.through(proxy.port());
                proxy.swallowReplies(true);
                return connection;
            };
            RowLocks locks = RowLocks.over(source, prefix);
            long start = System.nanoTime();
            assertThatThrownBy(() -> locks.tryTransaction(Duration.ofSeconds(2), "a"))
                    .isInstanceOf(LockStoreException.class);
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(20));
        }
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "SQLITE")
    void idleAtMost_holderHasVanished_serverFreesTheRow(RealDatabase database) throws Exception {
        RowLocks locks = locks(database);
        try (TcpProxy proxy = TcpProxy.of(database.port())) {
            PlainDataSource source = () -> database.through(proxy.port());
            RowLocks leased = RowLocks.over(source, prefix).idleAtMost(Duration.ofSeconds(1));
            try (RowTransaction tx = leased.transaction("a")) {
                proxy.swallowReplies(true);
                locks.transaction("a").close();
                assertThatThrownBy(tx::checkHeld).isInstanceOf(LockLostException.class);
                proxy.cut();
            }
        }
        assertThatThrownBy(() -> locks.idleAtMost(Duration.ZERO)).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "SQLITE")
    void close_connectionOfAPool_isAsItWas(RealDatabase database) throws Exception {
        locks(database);
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement()) {
            connection.setNetworkTimeout(Runnable::run, 77_000);
            String settings = database == RealDatabase.POSTGRESQL
                    ? "SELECT string_agg(name || setting, ' ' ORDER BY name) FROM pg_settings WHERE name IN ('lock_timeout',"
                            + " 'idle_in_transaction_session_timeout', 'default_transaction_isolation')"
                    : "SELECT concat(@@wait_timeout, ' ', @@innodb_lock_wait_timeout, ' ', @@transaction_isolation)";
            String before = read(statement, settings);
            RowLocks locks = RowLocks.over((PlainDataSource) () -> unclosable(connection), prefix)
                    .idleAtMost(Duration.ofSeconds(9));
            try (RowTransaction tx = locks.transaction("a")) {
                tx.commit();
            }
            try (RowTransaction tx = locks(database).transaction("a")) {
                assertThat(locks.tryTransaction(Duration.ofMillis(10), "a")).isEmpty();
            }
            locks.transaction("a").close();
            assertThat(read(statement, settings)).isEqualTo(before);
            assertThat(connection.getAutoCommit()).isTrue();
            assertThat(connection.getNetworkTimeout()).isEqualTo(77_000);
        }
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "SQLITE")
    void transaction_failsBeforeItHasBegun_connectionOfAPoolIsAsItWas(RealDatabase database) throws Exception {
        try (Connection connection = database.begin()) {
            connection.setNetworkTimeout(Runnable::run, 77_000);
            RowLocks locks = RowLocks.over((PlainDataSource) () -> unclosable(connection), prefix) // without its table
                    .idleAtMost(Duration.ofSeconds(9));

            assertThatThrownBy(() -> locks.transaction("a"))
                    .isInstanceOf(LockStoreException.class)
                    .hasMessageContaining(prefix);

            assertThat(connection.getAutoCommit()).isFalse();
            assertThat(connection.getNetworkTimeout()).isEqualTo(77_000);
        }
    }

    private static Connection unclosable(Connection connection) {
        return (Connection) Proxy.newProxyInstance(
                Connection.class.getClassLoader(), new Class<?>[] {Connection.class}, (self, method, arguments) -> {
                    return method.getName().equals("close") ? null : method.invoke(connection, arguments);
                });
    }

    static void kill(RealDatabase database, Connection connection) throws SQLException {
        boolean postgres = database == RealDatabase.POSTGRESQL;
        try (Statement statement = connection.createStatement()) {
            String id = read(statement, postgres ? "SELECT pg_backend_pid()" : "SELECT connection_id()");
            database.execute(postgres ? "SELECT pg_terminate_backend(" + id + ", 5000)" : "KILL " + id);
        }
    }

    @Test
    void transaction_namesKnown_oneRoundTripInPostgres() throws Exception {
        RowLocks locks = locks(RealDatabase.POSTGRESQL);
        locks.prepare("a", "b", "c");
        Logger driver = Logger.getLogger("org.postgresql.core.v3.QueryExecutorImpl");
        Map<Integer, AtomicInteger> trips = new HashMap<>();
        for (int names = 1; names <= 3; names++) {
            AtomicInteger syncs = new AtomicInteger();
            trips.put(names, syncs);
            try (Connection connection = RealDatabase.POSTGRESQL.begin()) {
                String[] wanted = List.of("a", "b", "c").subList(0, names).toArray(String[]::new);
                driver.setFilter(message -> {
                    if (message.getMessage().contains("FE=> Sync")) {
                        syncs.incrementAndGet();
                    }
                    return false;
                });
                driver.setLevel(Level.FINEST);
                try {
                    locks.in(connection).lock(wanted);
                } finally {
                    driver.setLevel(Level.INFO);
                    driver.setFilter(null);
                }
            }
        }
        assertThat(trips.values()).allSatisfy(syncs -> assertThat(syncs).hasValue(1));
    }

    @Test
    void createTable_inSqlite_refused() {
        assertThatThrownBy(() -> RowLocks.over(RealDatabase.SQLITE).createTable())
                .isInstanceOf(UnsupportedOperationException.class);
        assertThat(RowLocks.schema("mysql", "wellkeeper_")).contains("wellkeeper_row");
        assertThatThrownBy(() -> RowLocks.over(RealDatabase.SQLITE, "no such", "name"))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
