package io.wellkeeper.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.DistributedLock;
import io.wellkeeper.LockClient;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import org.junit.jupiter.params.provider.ValueSource;

class OptimisticLockTest {

    private static final int THREADS = 6;
    private static final int ROUNDS = 15;

    private final String table = RealDatabase.prefix() + "cart";

    private OptimisticLock carts(RealDatabase database) throws SQLException {
        database.execute("CREATE TABLE " + table + " (id varchar(20) PRIMARY KEY, n bigint, version bigint NOT NULL)");
        database.execute("INSERT INTO " + table + " VALUES ('seven', 0, 41)");
        return OptimisticLock.on(database, table, "id", "version");
    }

    private long version(RealDatabase database) {
        return database.number("SELECT version FROM " + table);
    }

    private long read(Connection connection) throws SQLException {
        try (PreparedStatement statement =
                        connection.prepareStatement("SELECT n FROM " + table + " WHERE id = 'seven'");
                ResultSet row = statement.executeQuery()) {
            row.next();
            return row.getLong(1);
        }
    }

    private long addOne(Connection connection) throws SQLException {
        long n = read(connection) + 1;
        try (PreparedStatement statement =
                connection.prepareStatement("UPDATE " + table + " SET n = ? WHERE id = 'seven'")) {
            statement.setLong(1, n);
            statement.executeUpdate();
        }
        return n;
    }

    @ParameterizedTest
    @EnumSource
    void advance_versionAsRead_isOneLarger(RealDatabase database) throws SQLException {
        OptimisticLock carts = carts(database);
        try (Connection connection = database.begin()) {
            long stamp = carts.tryOptimisticRead(connection, "seven");
            assertThat(stamp).isEqualTo(41);
            assertThat(carts.validate(connection, "seven", stamp)).isTrue();
            assertThat(carts.advance(connection, "seven", stamp)).isEqualTo(42);
            assertThat(carts.validate(connection, "seven", stamp)).isFalse();
            connection.commit();
        }
        assertThat(version(database)).isEqualTo(42);
    }

    /** As of rows from before the column was added. */
    @ParameterizedTest
    @EnumSource
    void any_versionIsNull_saysSo(RealDatabase database) throws SQLException {
        database.execute("CREATE TABLE " + table + " (id varchar(20) PRIMARY KEY, version bigint)");
        database.execute("INSERT INTO " + table + " VALUES ('seven', NULL)");
        OptimisticLock carts = OptimisticLock.on(database, table, "id", "version");
        try (Connection connection = database.begin()) {
            for (ThrowingCallable any : List.<ThrowingCallable>of(
                    () -> carts.tryOptimisticRead(connection, "seven"),
                    () -> carts.validate(connection, "seven", 0),
                    () -> carts.advance(connection, "seven", 0),
                    () -> carts.update("seven", RetryPolicy.standard(), (own, version) -> "done"))) {
                assertThatThrownBy(any)
                        .isInstanceOf(SQLException.class)
                        .hasMessage("the column version of row id = seven of " + table + " is null");
            }
            connection.rollback();
        }
    }

    @ParameterizedTest
    @CsvSource({"POSTGRESQL, 2", "MARIADB, 2", "MARIADB, 4"})
    void advance_overtakenBySomebody_refusedWithTheActualVersion(RealDatabase database, int isolation)
            throws SQLException {
        OptimisticLock carts = carts(database);
        try (Connection connection = database.begin()) {
            connection.setTransactionIsolation(isolation);
            long stamp = carts.tryOptimisticRead(connection, "seven");
            database.execute("UPDATE " + table + " SET version = 50");
            assertThat(carts.validate(connection, "seven", stamp)).isFalse();
            StaleVersionException refused =
                    catchThrowableOfType(StaleVersionException.class, () -> carts.advance(connection, "seven", stamp));
            assertThat(refused).hasMessageContaining("seven").hasMessageContaining(table);
            assertThat(refused.expected()).isEqualTo(41);
            assertThat(refused.actual()).hasValue(50);
            connection.rollback();
        }
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "POSTGRESQL")
    void any_connectionReadsWhatIsNotCommitted_refused(RealDatabase database) throws SQLException {
        carts(database);
        OptimisticLock carts = OptimisticLock.on(uncommitted(database), table, "id", "version");
        try (Connection connection = uncommitted(database).getConnection()) {
            connection.setAutoCommit(false);
            assertThatThrownBy(() -> carts.tryOptimisticRead(connection, "seven"))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("READ UNCOMMITTED");
            assertThatThrownBy(() -> carts.validate(connection, "seven", 41)).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> carts.advance(connection, "seven", 41)).isInstanceOf(IllegalStateException.class);
            connection.rollback();
        }
        assertThatThrownBy(
                        () -> carts.update("seven", RetryPolicy.standard(), (connection, stamp) -> addOne(connection)))
                .isInstanceOf(IllegalStateException.class);
        assertThat(version(database)).isEqualTo(41);
    }

    @Test
    void update_connectionOfPostgresIsToReadWhatIsNotCommitted_seesOnlyWhatIs() throws SQLException {
        carts(RealDatabase.POSTGRESQL);
        OptimisticLock carts = OptimisticLock.on(uncommitted(RealDatabase.POSTGRESQL), table, "id", "version");
        assertThat(carts.<Long>update("seven", RetryPolicy.standard(), (connection, stamp) -> addOne(connection)))
                .isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "SQLITE")
    void advance_columnHoldsNoLargerVersion_fails(RealDatabase database) throws SQLException {
        database.execute("CREATE TABLE " + table + " (id varchar(20) PRIMARY KEY, version smallint NOT NULL)");
        database.execute("INSERT INTO " + table + " VALUES ('seven', 32767)");
        OptimisticLock carts = OptimisticLock.on(database, table, "id", "version");
        try (Connection connection = database.begin();
                Statement statement = connection.createStatement()) {
            if (database == RealDatabase.MARIADB) {
                statement.execute("SET sql_mode = ''"); // what does not fit is made to fit
            }
            assertThatThrownBy(() -> carts.advance(connection, "seven", 32767))
                    .isInstanceOfSatisfying(
                            SQLException.class,
                            failure -> assertThat(failure.getSQLState()).isEqualTo("22003"));
            connection.rollback();
        }
    }

    @ParameterizedTest
    @EnumSource
    void advance_versionIsTheLargestNumber_failsAndLeavesIt(RealDatabase database) throws SQLException {
        OptimisticLock carts = carts(database);
        database.execute("UPDATE " + table + " SET version = " + Long.MAX_VALUE);
        try (Connection connection = database.begin()) {
            assertThatThrownBy(() -> carts.advance(connection, "seven", Long.MAX_VALUE))
                    .isInstanceOfSatisfying(
                            SQLException.class,
                            failure -> assertThat(failure.getSQLState()).isEqualTo("22003"));
            connection.rollback();
        }
        assertThat(database.number("SELECT count(*) FROM " + table + " WHERE version = " + Long.MAX_VALUE))
                .isEqualTo(1);
    }

    private static PlainDataSource uncommitted(RealDatabase database) {
        return () -> {
            Connection connection = database.getConnection();
            connection.setTransactionIsolation(Connection.TRANSACTION_READ_UNCOMMITTED);
            return connection;
        };
    }

    @ParameterizedTest
    @EnumSource
    void advance_rowIsGone_refusedWithoutAVersion(RealDatabase database) throws SQLException {
        OptimisticLock carts = carts(database);
        try (Connection connection = database.begin()) {
            StaleVersionException refused =
                    catchThrowableOfType(StaleVersionException.class, () -> carts.advance(connection, "eight", 1));
            assertThat(refused.actual()).isEmpty();
            assertThat(carts.validate(connection, "eight", 1)).isFalse();
            assertThatThrownBy(() -> carts.tryOptimisticRead(connection, "eight"))
                    .isInstanceOf(NoSuchElementException.class)
                    .hasMessageContaining("eight");
            connection.rollback();
        }
        assertThatThrownBy(() -> carts.update("eight", RetryPolicy.standard(), (connection, version) -> 1))
                .isInstanceOf(NoSuchElementException.class);
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "SQLITE")
    void validate_whileSomebodyChangesTheRow_falseWithoutWaiting(RealDatabase database) throws Exception {
        OptimisticLock carts = carts(database);
        try (Connection writer = database.begin();
                Connection reader = database.begin()) {
            assertThat(carts.validate(reader, "seven", 41)).isTrue();
            reader.rollback();
            carts.advance(writer, "seven", 41);
            assertThat(carts.tryOptimisticRead(reader, "seven")).isEqualTo(41);
            assertThat(carts.validate(reader, "seven", 41)).isFalse();
            writer.rollback();
            assertThat(carts.validate(reader, "seven", 41)).isTrue();
            CompletableFuture<Object> changing = Calls.start(() -> {
                carts.advance(writer, "seven", 41);
                writer.commit();
            });
            await().until(() -> database.waiting() == 1);
            assertThat(carts.validate(reader, "seven", 41)).isTrue();
            reader.commit();
            assertThat(Calls.result(changing)).isEqualTo(Calls.PASSED);
        }
    }

    @ParameterizedTest
    @EnumSource
    void update_manyAtOnce_noneIsLost(RealDatabase database) throws Exception {
        OptimisticLock carts = carts(database);
        RetryPolicy policy = RetryPolicy.standard().attempts(1000).pauses(Duration.ofMillis(1), Duration.ofMillis(20));
        countTogether(database, carts, policy);
    }

    @Tag("full")
    @ParameterizedTest
    @EnumSource
    void update_manyAtOnceWithALockAfterTheFirstConflict_noneIsLost(RealDatabase database) throws Exception {
        OptimisticLock carts = carts(database);
        RetryPolicy policy = RetryPolicy.standard().attempts(THREADS * ROUNDS).escalateTo(new ReentrantLock(true), 1);
        countTogether(database, carts, policy);
    }

    /**
     * In each round all have read the same version before one writes: all others are overtaken, and go on one at a time. In
     * SQLite it would be the lock's own writing that overtakes.
     */
    @Tag("full")
    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "SQLITE")
    void update_escalatedToAFairLockOfTheSameDatabase_eachNextAttemptIsTheLast(RealDatabase database) throws Exception {
        OptimisticLock carts = carts(database);
        CyclicBarrier all = new CyclicBarrier(THREADS);
        AtomicInteger escalated = new AtomicInteger();
        List<CompletableFuture<Object>> threads = new ArrayList<>();
        try (LockClient one = LockClient.over(SqlTicketStore.over(database));
                LockClient other = LockClient.over(SqlTicketStore.over(database))) {
            for (int thread = 0; thread < THREADS; thread++) {
                DistributedLock lock = (thread % 2 == 0 ? one : other).lock(table);
                RetryPolicy policy = RetryPolicy.standard().attempts(2).escalateTo(lock, 1);
                threads.add(Calls.start(() -> {
                    for (int round = 0; round < ROUNDS; round++) {
                        meet(all);
                        carts.update("seven", policy, (connection, version) -> {
                            if (lock.isHeldByCurrentThread()) {
                                escalated.incrementAndGet();
                            } else {
                                meet(all);
                            }
                            return addOne(connection);
                        });
                    }
                }));
            }
            for (CompletableFuture<Object> thread : threads) {
                assertThat(Calls.result(thread)).isEqualTo(Calls.PASSED);
            }
        }
        assertThat(escalated).hasValue((THREADS - 1) * ROUNDS);
        assertThat(database.number("SELECT n FROM " + table)).isEqualTo(THREADS * ROUNDS);
    }

    private static void meet(CyclicBarrier barrier) {
        try {
            barrier.await(60, TimeUnit.SECONDS);
        } catch (InterruptedException | BrokenBarrierException | TimeoutException failed) {
            throw new AssertionError(failed);
        }
    }

    private void countTogether(RealDatabase database, OptimisticLock carts, RetryPolicy policy) throws Exception {
        List<CompletableFuture<Object>> threads = new ArrayList<>();
        for (int thread = 0; thread < THREADS; thread++) {
            threads.add(Calls.start(() -> {
                for (int round = 0; round < ROUNDS; round++) {
                    carts.update("seven", policy, (connection, version) -> addOne(connection));
                }
            }));
        }
        for (CompletableFuture<Object> thread : threads) {
            assertThat(Calls.result(thread)).isEqualTo(Calls.PASSED);
        }
        assertThat(database.number("SELECT n FROM " + table)).isEqualTo(THREADS * ROUNDS);
        assertThat(version(database)).isEqualTo(41 + THREADS * ROUNDS);
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "SQLITE")
    void update_overtakenEachTime_givesUpWithTheActualVersion(RealDatabase database) throws SQLException {
        OptimisticLock carts = carts(database);
        AtomicInteger calls = new AtomicInteger();
        StaleVersionException gaveUp = catchThrowableOfType(
                StaleVersionException.class,
                () -> carts.update("seven", RetryPolicy.standard().attempts(3), (connection, version) -> {
                    database.execute("UPDATE " + table + " SET version = version + 1");
                    return calls.incrementAndGet();
                }));
        assertThat(calls).hasValue(3);
        assertThat(gaveUp.expected()).isEqualTo(43);
        assertThat(gaveUp.actual()).hasValue(44);
    }

    @Test
    void update_serialisationFailuresOfPostgres_triedAgainAndThenTold() throws SQLException {
        assertTriedAgainAndThenTold(
                RealDatabase.POSTGRESQL,
                connection -> connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE));
    }

    @Test
    void update_snapshotIsolationOfMariaDb_triedAgainAndThenTold() throws SQLException {
        assertTriedAgainAndThenTold(RealDatabase.MARIADB, connection -> {
            Assumptions.assumeTrue(Vendor.of(connection) == Vendor.MARIADB, "MySQL has no such level");
            try (Statement statement = connection.createStatement()) {
                statement.execute("SET SESSION innodb_snapshot_isolation = ON"); // from 11.6.2 on it is the default
            }
        });
    }

    /** Without a write-ahead log a writer keeps even those out who only read. */
    @Test
    void update_fileOfSqliteIsBusyForReadersToo_triedAgainAndThenTold(@TempDir Path folder) throws SQLException {
        String url = "jdbc:sqlite:" + folder.resolve("carts.sqlite") + "?busy_timeout=0";
        try (Connection other = DriverManager.getConnection(url);
                Statement statement = other.createStatement()) {
            statement.execute("CREATE TABLE cart (id text PRIMARY KEY, version integer NOT NULL)");
            statement.execute("INSERT INTO cart VALUES ('seven', 41)");
            statement.execute("BEGIN EXCLUSIVE");
            AtomicInteger attempts = new AtomicInteger();
            PlainDataSource source = () -> {
                if (attempts.incrementAndGet() == 5) {
                    statement.execute("COMMIT");
                }
                return DriverManager.getConnection(url);
            };
            OptimisticLock carts = OptimisticLock.on(source, "cart", "id", "version");
            OptimisticLock.Action<Long> action = (connection, version) -> version;

            assertThatThrownBy(
                            () -> carts.update("seven", RetryPolicy.standard().attempts(2), action))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("SQLITE_BUSY");
            assertThat(attempts).hasValue(2);
            assertThat(carts.update("seven", RetryPolicy.standard(), action)).isEqualTo(41);
        }
    }

    private void assertTriedAgainAndThenTold(RealDatabase database, ForwardingDataSource.Inspector isolation)
            throws SQLException {
        carts(database);
        OptimisticLock carts = OptimisticLock.on(new ForwardingDataSource(database, isolation), table, "id", "version");
        AtomicInteger calls = new AtomicInteger();
        OptimisticLock.Action<Integer> overtaken = (connection, version) -> {
            if (calls.incrementAndGet() <= 2) {
                database.execute("UPDATE " + table + " SET version = version + 1");
            }
            return calls.get();
        };
        assertThat(carts.update("seven", RetryPolicy.standard(), overtaken)).isEqualTo(3);
        calls.set(0);
        assertThatThrownBy(() -> carts.update("seven", RetryPolicy.standard().attempts(1), overtaken))
                .isInstanceOfSatisfying(
                        StaleVersionException.class,
                        refused -> assertThat(refused.actual()).hasValue(45))
                .hasRootCauseInstanceOf(SQLException.class);
    }

    @ParameterizedTest
    @EnumSource
    void update_actionFails_rolledBackAndNotRepeated(RealDatabase database) throws SQLException {
        OptimisticLock carts = carts(database);
        AtomicInteger calls = new AtomicInteger();
        assertThatThrownBy(() -> carts.update("seven", RetryPolicy.standard(), (connection, version) -> {
                    calls.incrementAndGet();
                    addOne(connection);
                    throw new IllegalStateException("enough");
                }))
                .hasMessage("enough");
        assertThat(calls).hasValue(1);
        assertThat(database.number("SELECT n FROM " + table)).isZero();
        assertThat(carts.<Long>update("seven", RetryPolicy.standard(), (connection, version) -> version))
                .isEqualTo(41);
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "SQLITE")
    void update_withEscalation_holdsTheLockFromThenOnAndGivesItBack(RealDatabase database) throws SQLException {
        OptimisticLock carts = carts(database);
        ReentrantLock lock = new ReentrantLock(true);
        List<Boolean> held = new ArrayList<>();
        RetryPolicy policy = RetryPolicy.standard().attempts(5).escalateTo(lock, 2);
        carts.update("seven", policy, (connection, version) -> {
            held.add(lock.isHeldByCurrentThread());
            if (held.size() < 4) {
                database.execute("UPDATE " + table + " SET version = version + 1");
            }
            return version;
        });
        assertThat(held).containsExactly(false, false, true, true);
        assertThat(lock.isLocked()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a b", "a;", "a--", "1a", "\"a\"b\"", "\"\"", "a.", "a'b", "f(x)"})
    void on_whatIsNoName_refused(String name) {
        assertThatThrownBy(() -> OptimisticLock.on(RealDatabase.SQLITE, name, "id", "version"))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> OptimisticLock.on(RealDatabase.SQLITE, "cart", "id", name))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void on_reservedWordsInQuotesAndSchema_work() throws SQLException {
        RealDatabase.POSTGRESQL.execute("CREATE TABLE \"order\" (\"user\" bigint PRIMARY KEY, \"Version\" integer)");
        RealDatabase.POSTGRESQL.execute("INSERT INTO \"order\" VALUES (7, 1)");
        OptimisticLock orders =
                OptimisticLock.on(RealDatabase.POSTGRESQL, "public.\"order\"", "\"user\"", "\"Version\"");
        assertThat(orders.<Long>update(7, RetryPolicy.standard(), (connection, version) -> version))
                .isEqualTo(1);
        assertThat(RealDatabase.POSTGRESQL.number("SELECT \"Version\" FROM \"order\""))
                .isEqualTo(2);
    }

    @Test
    void policy_thatMakesNoSense_refused() {
        RetryPolicy policy = RetryPolicy.standard();
        assertThatThrownBy(() -> policy.attempts(0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> policy.escalateTo(new ReentrantLock(), 0))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> policy.pauses(Duration.ofMillis(2), Duration.ofMillis(1)))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
