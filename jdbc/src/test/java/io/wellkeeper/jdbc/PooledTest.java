package io.wellkeeper.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.wellkeeper.DistributedLock;
import io.wellkeeper.LeaseClient;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockStoreException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** Over a pool of the user's, HikariCP, which by itself lets whoever wants a connection wait for half a minute. */
@Tag("full")
class PooledTest {

    private static final int THREADS = 20;
    private static final int ROUNDS = 10;
    private static final Duration LATE = Duration.ofSeconds(10); // on a machine with much else to do

    private final String prefix = RealDatabase.prefix();
    private int counted; // under the lock

    private static HikariDataSource pool(DataSource source) {
        HikariConfig config = new HikariConfig();
        config.setDataSource(source);
        config.setMaximumPoolSize(2);
        return new HikariDataSource(config);
    }

    private static int lent(HikariDataSource pool) {
        return pool.getHikariPoolMXBean().getActiveConnections();
    }

    private static String settings(RealDatabase database, Connection connection) throws SQLException {
        String sql = database == RealDatabase.POSTGRESQL
                ? "SELECT string_agg(name || ' ' || setting, ', ' ORDER BY name) FROM pg_settings WHERE name IN"
                        + " ('lock_timeout', 'default_transaction_isolation', 'default_transaction_read_only',"
                        + " 'transaction_timeout', 'tcp_keepalives_idle', 'tcp_keepalives_count')"
                : "SELECT concat(@@innodb_lock_wait_timeout, ' ', @@transaction_isolation, ' ', @@sql_mode)";
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getString(1);
        }
    }

    private static void assertGivenBackAsItWas(RealDatabase database, HikariDataSource pool) throws SQLException {
        await().until(() -> lent(pool) == 0);
        try (Connection fresh = database.getConnection();
                Connection one = pool.getConnection();
                Connection other = pool.getConnection()) {
            assertThat(settings(database, one)).isEqualTo(settings(database, fresh));
            assertThat(settings(database, other)).isEqualTo(settings(database, fresh));
        }
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "SQLITE")
    void fairLock_poolOfTwo_enoughForManyThreadsAndGivenBack(RealDatabase database) throws Exception {
        try (HikariDataSource pool = pool(database)) {
            try (LockClient client = LockClient.over(SqlTicketStore.over(pool))) {
                countTogether(client.lock(prefix));
                assertThat(lent(pool)).isEqualTo(2);
            }
            assertGivenBackAsItWas(database, pool);
        }
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "SQLITE")
    void lockTable_poolOfTwo_enoughForManyThreadsAndGivenBack(RealDatabase database) throws Exception {
        try (HikariDataSource pool = pool(database)) {
            LeaseTableStore store = LeaseTableStore.over(pool);
            try (LeaseClient client = LeaseClient.over(store)) {
                countTogether(client.lock(prefix));
            }
            store.close();
            assertGivenBackAsItWas(database, pool);
        }
    }

    private void countTogether(DistributedLock lock) throws Exception {
        List<CompletableFuture<Object>> threads = new ArrayList<>();
        for (int thread = 0; thread < THREADS; thread++) {
            threads.add(Calls.start(() -> {
                for (int round = 0; round < ROUNDS; round++) {
                    lock.lock();
                    try {
                        int before = counted;
                        Thread.yield();
                        counted = before + 1;
                    } finally {
                        lock.unlock();
                    }
                }
            }));
        }
        for (CompletableFuture<Object> thread : threads) {
            assertThat(Calls.result(thread)).isEqualTo(Calls.PASSED);
        }
        assertThat(counted).isEqualTo(THREADS * ROUNDS);
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "SQLITE")
    void over_poolExhausted_toldInTimeAndTakesNothingAfterwards(RealDatabase database) throws Exception {
        try (HikariDataSource pool = pool(database);
                Connection one = pool.getConnection();
                Connection other = pool.getConnection()) {
            SqlTicketStore store = SqlTicketStore.over(pool);
            assertToldInTime(() -> LockClient.over(store).close());
            one.close();
            other.close();
            await().until(() -> pool.getHikariPoolMXBean().getThreadsAwaitingConnection() == 0 && lent(pool) == 0);
            try (LockClient client = LockClient.over(SqlTicketStore.over(pool))) {
                client.lock(prefix).acquire().close();
            }
        }
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "SQLITE")
    void fairLock_poolExhaustedByOthersWhenItsConnectionsBroke_toldInTimeAndWorksAfterwards(RealDatabase database)
            throws Exception {
        Queue<Long> ids = new ConcurrentLinkedQueue<>();
        try (HikariDataSource pool = pool(remembering(database, ids));
                LockClient client = LockClient.over(SqlTicketStore.over(pool))) {
            DistributedLock lock = client.lock(prefix);
            CountDownLatch enough = new CountDownLatch(1);
            List<CompletableFuture<Object>> others = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                others.add(Calls.start(() -> {
                    try (Connection lent = pool.getConnection()) {
                        enough.await();
                    }
                }));
            }
            await().until(() -> pool.getHikariPoolMXBean().getThreadsAwaitingConnection() == 2);
            List<Long> old = List.copyOf(ids);
            kill(database, old);
            await().until(() -> ids.size() == old.size() + 2
                    && pool.getHikariPoolMXBean().getThreadsAwaitingConnection() == 2
                    && lent(pool) == 2);
            assertNotHadInTime(lock);
            enough.countDown();
            assertThat(lock.tryLock(30, TimeUnit.SECONDS)).isTrue();
            lock.unlock();
            for (CompletableFuture<Object> one : others) {
                assertThat(Calls.result(one)).isEqualTo(Calls.PASSED);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "SQLITE")
    void lockTable_poolExhausted_toldInTimeAndWorksAfterwards(RealDatabase database) throws Exception {
        try (HikariDataSource pool = pool(database);
                Connection one = pool.getConnection();
                Connection other = pool.getConnection();
                LeaseTableStore store = LeaseTableStore.over(pool);
                LeaseClient client = LeaseClient.over(store)) {
            DistributedLock lock = client.lock(prefix);
            assertNotHadInTime(lock);
            one.close();
            other.close();
            assertThat(lock.tryLock(30, TimeUnit.SECONDS)).isTrue();
            lock.unlock();
        }
    }

    private static void assertNotHadInTime(DistributedLock lock) {
        assertToldInTime(lock::tryLock);
        long start = System.nanoTime();
        try {
            assertThat(lock.tryLock(300, TimeUnit.MILLISECONDS)).isFalse();
        } catch (InterruptedException nobodyDoes) {
            throw new AssertionError(nobodyDoes);
        } catch (LockStoreException outOfTouch) {
            assertThat(outOfTouch).hasMessageContaining("in time");
        }
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(LATE);
    }

    private static void assertToldInTime(Calls.Task tried) {
        long start = System.nanoTime();
        assertThatThrownBy(tried::run).isInstanceOf(LockStoreException.class);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(LATE);
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "SQLITE")
    void rowLock_poolExhausted_endsInTimeAndWorksAfterwards(RealDatabase database) throws Exception {
        RowLocks.over(database, prefix).createTable();
        try (HikariDataSource pool = pool(database);
                Connection one = pool.getConnection();
                Connection other = pool.getConnection()) {
            RowLocks locks = RowLocks.over(pool, prefix);
            RowLock lock = locks.lock("a");
            long start = System.nanoTime();
            assertThat(lock.tryLock(200, TimeUnit.MILLISECONDS)).isFalse();
            assertThat(locks.tryTransaction(Duration.ofMillis(200), "a")).isEmpty();
            one.setAutoCommit(false);
            assertThat(locks.in(one).tryLock(Duration.ofMillis(200), "a")).isEmpty();
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(LATE);
            assertGivesNone(lock::tryLock);
            assertGivesNone(() -> lock.tryLock(2500, TimeUnit.MILLISECONDS));
            assertGivesNone(() -> locks.tryTransaction(Duration.ZERO, "a"));
            one.close();
            assertThat(lock.tryLock()).isTrue();
            assertThat(locks.tryTransaction(Duration.ofMillis(200), "b")).isEmpty();
            lock.unlock();
            other.close();
            await().until(() -> lent(pool) == 0);
        }
    }

    private static void assertGivesNone(Calls.Task tried) {
        long start = System.nanoTime();
        assertThatThrownBy(tried::run)
                .isInstanceOf(LockStoreException.class)
                .hasMessageContaining("has given no connection");
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(Duration.ofSeconds(2), LATE);
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "SQLITE")
    void rowLock_poolExhausted_interruptEndsOnlyTheInterruptible(RealDatabase database) throws Exception {
        RowLocks.over(database, prefix).createTable();
        try (HikariDataSource pool = pool(database);
                Connection one = pool.getConnection();
                Connection other = pool.getConnection()) {
            RowLocks locks = RowLocks.over(pool, prefix);
            RowLock lock = locks.lock("a");
            Thread.currentThread().interrupt();
            assertThatThrownBy(lock::lockInterruptibly).isInstanceOf(InterruptedException.class);
            CompletableFuture<Object> waiting = Calls.start(() -> {
                Thread.currentThread().interrupt();
                lock.lock();
                assertThat(Thread.currentThread().isInterrupted()).isTrue();
                lock.unlock();
            });
            await().until(() -> pool.getHikariPoolMXBean().getThreadsAwaitingConnection() == 1);
            one.close();
            assertThat(Calls.result(waiting)).isEqualTo(Calls.PASSED);
            other.close();
            await().until(() -> lent(pool) == 0);
        }
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "SQLITE")
    void fairLock_connectionsEvictedAndKilled_holderAndWaitersDoNotNotice(RealDatabase database) throws Exception {
        Queue<Long> ids = new ConcurrentLinkedQueue<>();
        try (HikariDataSource pool = pool(remembering(database, ids));
                LockClient client = LockClient.over(SqlTicketStore.over(pool))) {
            try (LockHandle held = client.lock("held " + prefix).acquire()) {
                pool.getHikariPoolMXBean().softEvictConnections();
                countTogether(client.lock(prefix));
                List<Long> old = List.copyOf(ids);
                kill(database, old);
                counted = 0;
                countTogether(client.lock(prefix));
                held.checkHeld();
                assertThat(ids).hasSizeGreaterThan(old.size());
            }
        }
    }

    /** Remembers what the server calls each connection. */
    private static DataSource remembering(RealDatabase database, Queue<Long> ids) {
        String sql = database == RealDatabase.POSTGRESQL ? "SELECT pg_backend_pid()" : "SELECT connection_id()";
        return new ForwardingDataSource(database, made -> {
            try (Statement statement = made.createStatement();
                    ResultSet row = statement.executeQuery(sql)) {
                row.next();
                ids.add(row.getLong(1));
            }
        });
    }

    private static void kill(RealDatabase database, List<Long> ids) throws SQLException {
        for (Long id : ids) {
            database.execute(
                    database == RealDatabase.POSTGRESQL
                            ? "SELECT pg_terminate_backend(" + id + ", 5000)"
                            : "KILL " + id);
        }
    }
}
