package io.wellkeeper.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

class FenceTest {

    private static final int THREADS = 8;
    private static final int ROUNDS = 50;

    private final Fence fence = Fence.prefixed(RealDatabase.prefix());

    private void createTable(RealDatabase database) throws SQLException {
        try (Connection connection = database.getConnection()) {
            fence.createTable(connection);
        }
    }

    private void checkAndCommit(RealDatabase database, String name, long token) throws SQLException {
        try (Connection connection = database.begin()) {
            fence.check(connection, name, token);
            connection.commit();
        }
    }

    @ParameterizedTest
    @EnumSource
    void check_smallerThanTheLargestSeen_refusedAndNamed(RealDatabase database) throws SQLException {
        createTable(database);
        createTable(database);
        checkAndCommit(database, "orders", 5);
        checkAndCommit(database, "orders", 5);
        checkAndCommit(database, "orders", Long.MAX_VALUE);
        checkAndCommit(database, "Orders", 1);
        checkAndCommit(database, "orders ", 1);
        StaleTokenException refused = catchThrowableOfType(
                StaleTokenException.class, () -> checkAndCommit(database, "orders", Long.MAX_VALUE - 1));
        assertThat(refused)
                .hasMessageContaining("'orders'")
                .hasMessageContaining("" + (Long.MAX_VALUE - 1))
                .hasMessageContaining("" + Long.MAX_VALUE);
        assertThat(refused.name()).isEqualTo("orders");
        assertThat(refused.token()).isEqualTo(Long.MAX_VALUE - 1);
        assertThat(refused.highest()).isEqualTo(Long.MAX_VALUE);
    }

    @ParameterizedTest
    @EnumSource
    void check_zero_isATokenToo(RealDatabase database) throws SQLException {
        createTable(database);
        checkAndCommit(database, "\u6771\u4eac \ud83d\udd12", 0);
        checkAndCommit(database, "\u6771\u4eac \ud83d\udd12", 0);
        checkAndCommit(database, "\u6771\u4eac \ud83d\udd12", 1);
        assertThatThrownBy(() -> checkAndCommit(database, "\u6771\u4eac \ud83d\udd12", 0))
                .isInstanceOf(StaleTokenException.class);
    }

    @ParameterizedTest
    @EnumSource
    void check_rolledBack_leavesNoTrace(RealDatabase database) throws SQLException {
        createTable(database);
        try (Connection connection = database.begin()) {
            fence.check(connection, "orders", 9);
            connection.rollback();
        }
        checkAndCommit(database, "orders", 3);
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "SQLITE")
    void check_firstRowOfAName_olderWaitsAndIsRefused(RealDatabase database) throws Exception {
        createTable(database);
        assertOlderWaitsAndIsRefused(database);
    }

    @ParameterizedTest
    @CsvSource({
        "POSTGRESQL, 2",
        "MARIADB, 1",
        "MARIADB, 2",
        "MARIADB, 4",
        "MARIADB, 8",
    })
    void check_whileNewerIsUncommitted_olderWaitsAndIsRefused(RealDatabase database, int isolation) throws Exception {
        createTable(database);
        checkAndCommit(database, "orders", 1);
        assertOlderWaitsAndIsRefused(database, isolation);
    }

    private void assertOlderWaitsAndIsRefused(RealDatabase database) throws Exception {
        assertOlderWaitsAndIsRefused(database, Connection.TRANSACTION_READ_COMMITTED);
    }

    private void assertOlderWaitsAndIsRefused(RealDatabase database, int isolation) throws Exception {
        try (Connection newer = database.begin();
                Connection older = database.begin()) {
            newer.setTransactionIsolation(isolation);
            older.setTransactionIsolation(isolation);
            fence.check(newer, "orders", 6);
            CompletableFuture<Object> refused = Calls.start(() -> fence.check(older, "orders", 5));
            await().until(() -> database.waiting() == 1);
            newer.commit();
            assertThat(Calls.result(refused)).isInstanceOf(StaleTokenException.class);
            older.rollback();
        }
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "SQLITE")
    void check_whileOlderIsUncommitted_newerWaitsAndPasses(RealDatabase database) throws Exception {
        createTable(database);
        try (Connection older = database.begin();
                Connection newer = database.begin()) {
            fence.check(older, "orders", 5);
            CompletableFuture<Object> passed = Calls.start(() -> fence.check(newer, "orders", 6));
            await().until(() -> database.waiting() == 1);
            older.commit();
            assertThat(Calls.result(passed)).isEqualTo(Calls.PASSED);
            newer.commit();
        }
    }

    @Test
    void check_stricterIsolationOfPostgres_olderEndsWithSerialisationFailure() throws Exception {
        createTable(RealDatabase.POSTGRESQL);
        try (Connection newer = RealDatabase.POSTGRESQL.begin();
                Connection older = RealDatabase.POSTGRESQL.begin()) {
            older.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            fence.check(newer, "orders", 6);
            CompletableFuture<Object> refused = Calls.start(() -> fence.check(older, "orders", 5));
            await().until(() -> RealDatabase.POSTGRESQL.waiting() == 1);
            newer.commit();
            assertThat(Calls.result(refused))
                    .isInstanceOfSatisfying(
                            SQLException.class,
                            failed -> assertThat(failed.getSQLState()).isEqualTo("40001"));
        }
    }

    @Tag("full")
    @ParameterizedTest
    @EnumSource
    void check_manyAtOnceFromTheFirstRowOn_committedTokensNeverFall(RealDatabase database) throws Exception {
        createTable(database);
        String log = RealDatabase.prefix() + "log";
        String id = database == RealDatabase.POSTGRESQL
                ? "bigserial"
                : database == RealDatabase.MARIADB ? "bigint AUTO_INCREMENT" : "integer";
        database.execute("CREATE TABLE " + log + " (id " + id + " PRIMARY KEY, token bigint)");
        List<CompletableFuture<Object>> threads = new ArrayList<>();
        for (int thread = 0; thread < THREADS; thread++) {
            threads.add(Calls.start(() -> {
                for (int round = 0; round < ROUNDS; round++) {
                    writeUnder(
                            database,
                            log,
                            round * 3L + ThreadLocalRandom.current().nextInt(6));
                }
            }));
        }
        for (CompletableFuture<Object> thread : threads) {
            assertThat(Calls.result(thread)).isEqualTo(Calls.PASSED);
        }
        assertThat(database.number("SELECT count(*) FROM " + log + " a JOIN " + log + " b ON b.id > a.id"
                        + " AND b.token < a.token"))
                .isZero();
        assertThat(database.number("SELECT count(*) FROM " + log)).isPositive();
    }

    private void writeUnder(RealDatabase database, String log, long token) throws SQLException {
        try (Connection connection = database.begin();
                var statement = connection.createStatement()) {
            try {
                fence.check(connection, "orders", token);
                statement.execute("INSERT INTO " + log + " (token) VALUES (" + token + ")");
                connection.commit();
            } catch (StaleTokenException refused) {
                connection.rollback();
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void check_inAutocommitMode_refused(RealDatabase database) throws SQLException {
        createTable(database);
        try (Connection connection = database.getConnection()) {
            assertThatThrownBy(() -> fence.check(connection, "orders", 1)).isInstanceOf(IllegalStateException.class);
        }
        try (Connection connection = database.begin()) {
            assertThatThrownBy(() -> fence.createTable(connection)).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> fence.check(connection, "", 1)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> fence.check(connection, "a", -1)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @ParameterizedTest
    @EnumSource
    void createTable_manyAtOnce_allSucceed(RealDatabase database) throws Exception {
        List<CompletableFuture<Object>> threads = new ArrayList<>();
        for (int thread = 0; thread < THREADS; thread++) {
            threads.add(Calls.start(() -> createTable(database)));
        }
        for (CompletableFuture<Object> thread : threads) {
            assertThat(Calls.result(thread)).isEqualTo(Calls.PASSED);
        }
        checkAndCommit(database, "orders", 1);
    }

    @Test
    void prefixed_withSomethingThatIsNoName_refused() {
        assertThatThrownBy(() -> Fence.prefixed("x; DROP TABLE y")).isInstanceOf(IllegalArgumentException.class);
        assertThat(Fence.standard().schema("mariadb")).contains("wellkeeper_fence");
        assertThat(Fence.prefixed("app", "our_").schema("postgresql")).contains("app.our_fence");
        assertThatThrownBy(() -> Fence.standard().schema("oracle")).isInstanceOf(IllegalArgumentException.class);
    }
}
