package io.wellkeeper.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.DistributedLock;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Locks and transactions as articles often put them together, what becomes of the stock, and beside each how it is done. */
class WrongExamplesTest {

    private static final RealDatabase DATABASE = RealDatabase.MARIADB;
    private static final String SCHEMA = "wellkeeper";

    private final String prefix = RealDatabase.prefix();
    private final String stock = prefix + "stock";
    private LockClient shop;
    private LockClient otherShop;

    @BeforeEach
    void open() throws SQLException {
        DATABASE.execute("CREATE TABLE " + stock + " (id int PRIMARY KEY, item int, amount int) ENGINE = InnoDB");
        DATABASE.execute("INSERT INTO " + stock + " VALUES (1, 100, 1), (2, 200, 1)");
        shop = connect();
        otherShop = connect();
    }

    private LockClient connect() {
        return LockClient.over(SqlTicketStore.over(DATABASE, SCHEMA, prefix));
    }

    @AfterEach
    void close() throws SQLException {
        shop.close();
        otherShop.close();
        DATABASE.execute("DROP TABLE " + stock);
    }

    private int amount(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT amount FROM " + stock + " WHERE id = 1")) {
            row.next();
            return row.getInt(1);
        }
    }

    private void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql.formatted(stock));
        }
    }

    @Test
    void unlock_beforeTheCommit_nextOneReadsTheOldStock() throws Exception {
        DistributedLock lock = shop.lock("stock/1");
        DistributedLock sameLock = otherShop.lock("stock/1");
        try (Connection first = DATABASE.begin();
                Connection second = DATABASE.begin()) {
            lock.lock();
            execute(first, "UPDATE %s SET amount = 0 WHERE id = 1");
            lock.unlock(); // in a "finally" within the method that is @Transactional

            assertThat(sameLock.tryLock(20, TimeUnit.SECONDS)).isTrue();
            assertThat(amount(second)).as("what was sold already").isEqualTo(1);
            first.commit();
            sameLock.unlock();
        }
    }

    @Test
    void unlockWith_theCommit_nextOneWaitsForItAndReadsTheNewStock() throws Exception {
        LockGuard guard = LockGuard.prefixed(SCHEMA, prefix);
        DistributedLock lock = shop.lock("stock/1");
        DistributedLock sameLock = otherShop.lock("stock/1");
        try (Connection first = DATABASE.begin();
                Connection second = DATABASE.begin()) {
            first.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
            lock.lock();
            execute(first, "UPDATE %s SET amount = 0 WHERE id = 1");
            CompletableFuture<LockHandle> next = sameLock.acquireAsync();
            await().until(() -> DATABASE.number("SELECT count(*) FROM " + prefix + "ticket") == 2);
            guard.unlockWith(first, lock);

            assertThat(next).isNotDone();
            first.commit();
            try (LockHandle handle = next.get(20, TimeUnit.SECONDS)) {
                assertThat(handle.isHeld()).isTrue();
                assertThat(amount(second)).isZero();
            }
        }
    }

    @Test
    void lock_withinATransactionThatHasRead_stillReadsTheOldStock() throws Exception {
        DistributedLock lock = otherShop.lock("stock/1");
        try (Connection connection = DATABASE.begin()) { // REPEATABLE READ, InnoDB's default
            assertThat(amount(connection)).isEqualTo(1);
            DATABASE.execute(
                    "UPDATE " + stock + " SET amount = 0 WHERE id = 1"); // by the one who had the lock, committed

            lock.lock();
            assertThat(amount(connection)).as("what was sold already").isEqualTo(1);
            lock.unlock();
        }
    }

    @Test
    void lock_aroundTheTransaction_readsTheNewStock() throws Exception {
        DistributedLock lock = otherShop.lock("stock/1");
        DATABASE.execute("UPDATE " + stock + " SET amount = 0 WHERE id = 1");

        lock.lock();
        try (Connection connection = DATABASE.begin()) {
            assertThat(amount(connection)).isZero();
        } finally {
            lock.unlock();
        }
    }

    @Test
    void forUpdate_byAColumnWithoutIndex_locksEveryRow() throws Exception {
        try (Connection first = DATABASE.begin();
                Connection second = DATABASE.begin()) {
            execute(first, "SELECT amount FROM %s WHERE item = 100 FOR UPDATE");

            assertThatThrownBy(() -> execute(second, "SELECT amount FROM %s WHERE item = 200 FOR UPDATE NOWAIT"))
                    .isInstanceOf(SQLException.class);
        }
    }

    @Test
    void rowLocks_otherName_isFree() throws Exception {
        RowLocks locks = RowLocks.over(DATABASE, prefix);
        locks.createTable();
        try (RowTransaction first = locks.transaction("item/100");
                RowTransaction second = locks.transaction("item/200")) {
            first.checkHeld();
            second.checkHeld();
        }
    }
}
