package io.wellkeeper.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.DistributedLock;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockLostException;
import io.wellkeeper.LockOptions;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Locks tied to transactions, on a real server. */
abstract class LockGuards {

    private static final Duration SESSION = Duration.ofSeconds(4);
    private static final Duration LONGER = Duration.ofSeconds(10); // than a busy machine holds a heartbeat up
    private static final long PATIENCE = 20;

    private final RealDatabase database;
    private final String schema;
    private final String past;
    private final String millis;
    private final String prefix = RealDatabase.prefix();
    private final LockGuard guard;
    private LockClient client;
    private LockClient other;

    /**
     * @param schema where the tables are
     * @param past a time long ago
     * @param millis of the time {@code %s}
     */
    LockGuards(RealDatabase database, String schema, String past, String millis) {
        this.database = database;
        this.schema = schema;
        this.past = past;
        this.millis = millis;
        this.guard = LockGuard.prefixed(schema, prefix);
    }

    @BeforeEach
    void open() {
        assertThat(database.port()).isPositive(); // started, which may take longer than a store may
        client = newClient();
        other = newClient();
    }

    LockClient newClient() {
        return newClient(SESSION);
    }

    private LockClient newClient(Duration session) {
        ClientOptions options = ClientOptions.builder()
                .sessionTimeout(session)
                .lockDefaults(LockOptions.builder()
                        .awaitRelease(true)
                        .handOverTime(Duration.ofMinutes(1))
                        .build())
                .build();
        return LockClient.over(SqlTicketStore.over(database, schema, prefix), options);
    }

    LockClient client() {
        return client;
    }

    LockClient other() {
        return other;
    }

    LockGuard guard() {
        return guard;
    }

    Connection begin() throws SQLException {
        Connection connection = database.begin();
        connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        return connection;
    }

    @AfterEach
    void close() {
        client.close();
        other.close();
    }

    static LockHandle granted(CompletableFuture<LockHandle> waiting) throws Exception {
        return waiting.get(PATIENCE, TimeUnit.SECONDS);
    }

    void awaitQueue(int length) {
        await().until(() -> database.number("SELECT count(*) FROM " + prefix + "ticket") == length);
    }

    /** As if the one who has the lock had been silent for too long. */
    private void expireHolder() throws SQLException {
        database.execute("UPDATE " + prefix + "session SET expires = " + past + " WHERE id = (SELECT session FROM "
                + prefix + "ticket ORDER BY number LIMIT 1)");
    }

    @Test
    void guard_timeOfTheHolderIsUp_othersWaitForTheEndOfTheTransaction() throws Exception {
        try (Connection connection = begin();
                LockHandle held = client.lock("a").acquire()) {
            guard.guard(connection, held);
            expireHolder();
            assertThat(other.lock("a").tryLock()).isFalse();
            CompletableFuture<LockHandle> waiting = other.lock("a").acquireAsync();
            awaitQueue(2);
            assertThat(other.lock("a").tryAcquire()).isEmpty();
            assertThat(waiting).isNotDone();
            connection.commit();
            granted(waiting).close();
            assertThatThrownBy(() -> guard.guard(connection, held)).isInstanceOf(LockLostException.class);
            await().until(() -> !held.isHeld());
            assertThatThrownBy(held::close).isInstanceOf(LockLostException.class);
        }
    }

    @Test
    void guard_sessionWasEnded_refused() throws Exception {
        DistributedLock lock = client.lock("a");
        lock.lock();
        database.execute("DELETE FROM " + prefix + "session");
        try (Connection connection = begin()) {
            assertThatThrownBy(() -> guard.guard(connection, lock)).isInstanceOf(LockLostException.class);
            assertThatThrownBy(() -> guard.unlockWith(connection, lock)).isInstanceOf(LockLostException.class);
        }
    }

    @Test
    void guard_isUnlockedBeforeTheAnswer_refused() throws Exception {
        LockHandle held = client.lock("a").acquire();
        try (Connection connection = begin();
                Connection inTheWay = begin()) {
            try (Statement statement = inTheWay.createStatement()) {
                statement.execute("DELETE FROM " + prefix + "ticket");
            }
            CompletableFuture<Void> guarding = CompletableFuture.runAsync(() -> guardIn(connection, held));
            await().until(() -> database.waiting() == 1);
            CompletableFuture<Void> closing = CompletableFuture.runAsync(held::close);
            await().until(() -> database.waiting() == 2);
            inTheWay.rollback();
            assertThatThrownBy(guarding::join).hasCauseInstanceOf(IllegalMonitorStateException.class);
            connection.rollback();
            closing.get(PATIENCE, TimeUnit.SECONDS);
        }
    }

    private void guardIn(Connection connection, LockHandle held) {
        try {
            guard.guard(connection, held);
        } catch (SQLException failed) {
            throw new AssertionError(failed);
        }
    }

    @Test
    void guard_longTransaction_heartbeatsGoOn() throws Exception {
        DistributedLock lock = client.lock("a");
        lock.lock();
        try (Connection connection = begin()) {
            guard.guard(connection, lock);
            awaitHeartbeats(SESSION.dividedBy(2));
            lock.checkHeld();
            assertThat(other.lock("b").tryLock()).isTrue();
            other.lock("b").unlock();
            connection.commit();
        }
        lock.unlock();
    }

    @Test
    void unlockWith_commit_isTheMomentWhenTheNextIsGranted() throws Exception {
        DistributedLock lock = client.lock("a");
        lock.lock();
        CompletableFuture<LockHandle> waiting = other.lock("a").acquireAsync();
        awaitQueue(2);
        try (Connection connection = begin()) {
            guard.guard(connection, lock);
            guard.unlockWith(connection, lock);
            awaitQueue(2);
            assertThat(waiting).isNotDone();
            connection.commit();
        }
        try (LockHandle next = granted(waiting)) {
            lock.unlock();
            next.checkHeld();
            assertThat(client.lock("a").tryLock()).isFalse();
        }
        assertThat(client.lock("a").tryLock()).isTrue();
        client.lock("a").unlock();
    }

    @Test
    void unlockWith_threadsOfTheSameClientWait_queueUpBehindOthers() throws Exception {
        LockHandle held = client.lock("a").acquire();
        CompletableFuture<LockHandle> elsewhere = other.lock("a").acquireAsync();
        awaitQueue(2);
        CompletableFuture<LockHandle> here = client.lock("a").acquireAsync();
        try (Connection connection = begin()) {
            guard.unlockWith(connection, held);
            connection.commit();
        }
        held.close();
        try (LockHandle next = granted(elsewhere)) {
            awaitQueue(2);
            next.checkHeld();
            assertThat(here).isNotDone();
        }
        granted(here).close();
    }

    @Test
    void unlockWith_rollback_staysHeldUntilUnlocked() throws Exception {
        DistributedLock lock = client.lock("a");
        lock.lock();
        CompletableFuture<LockHandle> waiting = other.lock("a").acquireAsync();
        awaitQueue(2);
        try (Connection connection = begin()) {
            guard.unlockWith(connection, lock);
            connection.rollback();
        }
        lock.checkHeld();
        awaitQueue(2);
        assertThat(waiting).isNotDone();
        lock.unlock();
        granted(waiting).close();
    }

    @Tag("full")
    @Test
    void unlockWith_transactionStaysOpen_whoeverWaitsForItsEndKeepsHisOtherLocks() throws Exception {
        DistributedLock lock = client.lock("a");
        lock.lock();
        other.close();
        other = newClient(LONGER);
        LockHandle kept = other.lock("b").acquire();
        try (Connection connection = begin()) {
            guard.unlockWith(connection, lock);
            CompletableFuture<LockHandle> waiting = other.lock("a").acquireAsync();
            await().until(() -> database.waiting() == 1);
            awaitHeartbeatsOf("b");
            assertThat(other.lock("c").tryLock()).isTrue();
            other.lock("c").unlock();
            assertThat(waiting).isNotDone();
            connection.commit();
            lock.unlock();
            granted(waiting).close();
        }
        kept.checkHeld();
        kept.close();
    }

    @Tag("full")
    @Test
    void unlockWith_transactionStaysOpen_whoeverSweepsKeepsHisLocks() throws Exception {
        DistributedLock lock = client.lock("a");
        lock.lock();
        other.close();
        other = newClient(LONGER);
        LockHandle kept = other.lock("b").acquire();
        SqlTicketStore doomed = SqlTicketStore.over(database, schema, prefix);
        Await.get(Sessions.open(doomed, SESSION).queue("a").take(Sessions.request("doomed")));
        try (Connection connection = begin()) {
            guard.unlockWith(connection, lock);
            database.execute("UPDATE " + prefix + "session SET expires = " + past + " WHERE id = (SELECT session FROM "
                    + prefix + "ticket WHERE name = 'a' ORDER BY number DESC LIMIT 1)");
            awaitHeartbeatsOf("b");
            assertThat(other.lock("c").tryLock()).isTrue();
            other.lock("c").unlock();
            connection.commit();
        }
        lock.unlock();
        kept.checkHeld();
        kept.close();
        granted(other.lock("a").acquireAsync()).close();
        doomed.close();
    }

    /** Until the session that has a lock was made to last longer by a whole timeout. */
    private void awaitHeartbeatsOf(String name) {
        String expires = "SELECT " + millis.formatted("expires") + " FROM " + prefix
                + "session WHERE id = (SELECT session FROM " + prefix + "ticket WHERE name = '" + name + "')";
        long before = database.number(expires);
        await().atMost(Duration.ofSeconds(PATIENCE))
                .until(() -> database.number(expires) > before + SESSION.toMillis());
    }

    @Tag("full")
    @Test
    void unlockWith_holderWaitsAfterTheCommit_noLossIsTold() throws Exception {
        DistributedLock lock = client.lock("a");
        lock.lock();
        CompletableFuture<Void> lost = new CompletableFuture<>();
        lock.onLost(() -> lost.complete(null));
        awaitHeartbeats(Duration.ofSeconds(2)); // a ticket that lasts longer than a heartbeat is watched
        try (Connection connection = begin()) {
            guard.unlockWith(connection, lock);
            connection.commit();
        }
        awaitHeartbeats(Duration.ofSeconds(3)); // and looked at every two seconds
        assertThat(lost).isNotDone();
        lock.unlock();
    }

    /** Until every session was made to last so much longer. */
    private void awaitHeartbeats(Duration longer) {
        String expires =
                "SELECT " + millis.formatted("%s(expires)") + " FROM " + prefix + "session WHERE length(id) = 13";
        long before = database.number(expires.formatted("max"));
        await().until(() -> database.number(expires.formatted("min")) > before + longer.toMillis());
    }

    @Test
    void unlockWith_notTheOnlyUse_refused() throws Exception {
        DistributedLock lock = client.lock("a");
        lock.lock();
        lock.lock();
        try (Connection connection = begin()) {
            assertThatThrownBy(() -> guard.unlockWith(connection, lock)).isInstanceOf(IllegalStateException.class);
            lock.unlock();
            guard.unlockWith(connection, lock);
            connection.commit();
        }
        lock.unlock();
        DistributedLock read = client.readWriteLock("b").readLock();
        read.lock();
        try (Connection connection = begin()) {
            guard.guard(connection, read);
            assertThatThrownBy(() -> guard.unlockWith(connection, read)).isInstanceOf(IllegalStateException.class);
        }
        read.unlock();
    }

    @Test
    void guard_whereItCannot_refused() throws Exception {
        DistributedLock lock = client.lock("a");
        try (Connection connection = begin()) {
            assertThatThrownBy(() -> guard.guard(connection, lock))
                    .isInstanceOf(IllegalMonitorStateException.class)
                    .isNotInstanceOf(LockLostException.class);
        }
        lock.lock();
        try (Connection connection = database.getConnection()) {
            assertThatThrownBy(() -> guard.guard(connection, lock)).isInstanceOf(IllegalStateException.class);
        }
        try (Connection connection = RealDatabase.SQLITE.begin()) {
            assertThatThrownBy(() -> guard.guard(connection, lock)).isInstanceOf(UnsupportedOperationException.class);
        }
        lock.unlock();
    }
}
