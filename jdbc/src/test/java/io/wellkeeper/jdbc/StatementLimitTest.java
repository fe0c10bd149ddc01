package io.wellkeeper.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.spi.Lease;
import io.wellkeeper.spi.LeaseRequest;
import io.wellkeeper.spi.LeaseStore;
import io.wellkeeper.spi.StoreUri;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A limit for the time of each statement, as operators set it for users or for a whole server, shorter than our waits. */
@Tag("full")
class StatementLimitTest {

    private static final Duration SESSION = Duration.ofSeconds(4);
    private static final Duration LEASE = Duration.ofSeconds(60);
    private static final Duration LIMIT = Duration.ofMillis(200);
    private static final int SECONDS = 60;

    private final String prefix = RealDatabase.prefix();

    private LockClient connect(RealDatabase database, String limit) {
        return LockClient.connect(
                database.uri("jdbc:", database.port()) + "&prefix=" + prefix + "&" + limit,
                ClientOptions.builder().sessionTimeout(SESSION).build());
    }

    private static long expiry(RealDatabase database, String prefix) {
        String millis = database == RealDatabase.POSTGRESQL
                ? "CAST(extract(epoch FROM expires) * 1000 AS bigint)"
                : "CAST(unix_timestamp(expires) * 1000 AS signed)";
        return database.number("SELECT max(" + millis + ") FROM " + prefix + "session WHERE length(id) = 13");
    }

    @ParameterizedTest
    @CsvSource({"POSTGRESQL, options=-c%20statement_timeout=200", "MARIADB, sessionVariables=max_statement_time=0.2"})
    void lock_statementsAreLimited_waitsForABusyRowAndKeepsOtherLocks(RealDatabase database, String limit)
            throws Exception {
        try (LockClient client = connect(database, limit);
                LockHandle kept = client.lock("kept").acquire()) {
            client.lock("busy").acquire().close();
            try (Connection blocking = database.begin();
                    Statement statement = blocking.createStatement()) {
                statement.execute("SELECT 1 FROM " + prefix + "lock WHERE name = 'busy' FOR UPDATE");
                CompletableFuture<LockHandle> waiting = client.lock("busy").acquireAsync();
                await().until(() -> database.waiting() > 0);

                long before = expiry(database, prefix);
                await().atMost(Duration.ofSeconds(SECONDS))
                        .until(() -> !kept.isHeld() || expiry(database, prefix) > before + SESSION.toMillis());

                kept.checkHeld();
                assertThat(waiting).isNotDone();
                blocking.rollback();
                waiting.get(SECONDS, TimeUnit.SECONDS).close();
            }
            kept.checkHeld();
        }
    }

    @ParameterizedTest
    @CsvSource({"POSTGRESQL, options=-c%20statement_timeout=200", "MARIADB, sessionVariables=max_statement_time=0.2"})
    void renew_statementsAreLimited_waitsForABusyRow(RealDatabase database, String limit) throws Exception {
        LeaseStore store = LeaseTableStore.of(
                StoreUri.parse(database.uri("jdbc-simple:", database.port()) + "&prefix=" + prefix + "&" + limit));
        try {
            Lease lease = Await.get(store.tryAcquire(new LeaseRequest("l", "me", LEASE, "")))
                    .orElseThrow();
            try (Connection blocking = database.begin();
                    Statement statement = blocking.createStatement()) {
                statement.execute("SELECT 1 FROM " + prefix + "lease WHERE name = 'l' FOR UPDATE");
                CompletableFuture<Boolean> renewal = store.renew(lease, LEASE).toCompletableFuture();
                long start = System.nanoTime();
                await().until(() -> renewal.isDone()
                        || System.nanoTime() - start > LIMIT.multipliedBy(4).toNanos());

                assertThat(renewal).isNotDone();
                blocking.rollback();
                assertThat(renewal.get(SECONDS, TimeUnit.SECONDS)).isTrue();
            }
        } finally {
            store.close();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "POSTGRESQL, SET statement_timeout = 200, SHOW statement_timeout, 200ms",
        "MARIADB, SET SESSION max_statement_time = 0.2, SELECT @@max_statement_time, 0.200000"
    })
    void tryTransaction_statementsAreLimited_waitsToItsDeadlineAndLeavesTheLimit(
            RealDatabase database, String limit, String question, String answer) throws Exception {
        DataSource limited = new ForwardingDataSource(database, connection -> {
            try (Statement statement = connection.createStatement()) {
                statement.execute(limit);
            }
        });
        RowLocks locks = RowLocks.over(limited, prefix);
        locks.createTable();
        try (RowTransaction holder = locks.transaction("a");
                Connection mine = limited.getConnection();
                Statement statement = mine.createStatement()) {
            assertThat(locks.tryTransaction(LIMIT.multipliedBy(15), "a")).isEmpty();

            mine.setAutoCommit(false);
            assertThat(locks.in(mine).tryLock(LIMIT.multipliedBy(15), "a")).isEmpty();
            holder.commit();
            assertThat(locks.in(mine).tryLock(LIMIT.multipliedBy(15), "a")).isPresent();
            try (ResultSet row = statement.executeQuery(question)) {
                row.next();
                assertThat(row.getString(1)).isEqualTo(answer);
            }
        }
    }
}
