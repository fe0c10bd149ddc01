package io.wellkeeper.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockStoreException;
import io.wellkeeper.spi.Session;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A request that takes longer than the database is waited for, each time. */
@Tag("full")
@ExtendWith(SharedServers.class)
class SlowRequestTest {

    private static final Duration SESSION = Duration.ofSeconds(4);

    private final SqliteServer file;
    private final String prefix = RealDatabase.prefix();
    private final Tables tables = new Tables(Optional.empty(), prefix);

    SlowRequestTest(SqliteServer file) {
        this.file = file;
    }

    @Test
    void names_takesTooLongEachTime_noLockIsLostAndOthersAreHad() throws Exception {
        RealDatabase database = RealDatabase.POSTGRESQL;
        ClientOptions options = ClientOptions.builder().sessionTimeout(SESSION).build();
        try (LockClient client =
                        LockClient.connect(database.uri("jdbc:", database.port()) + "&prefix=" + prefix, options);
                LockHandle held = client.lock("held").acquire()) {
            database.execute(tables.fill("ALTER TABLE {ticket} RENAME TO slow_" + prefix));
            database.execute(tables.fill(
                    "CREATE VIEW {ticket} AS SELECT * FROM slow_" + prefix + " WHERE pg_sleep(10) IS NOT NULL"));
            String expiry = tables.fill(
                    "SELECT CAST(extract(epoch FROM expires) * 1000 AS bigint) FROM {session} WHERE length(id) = 13");
            long before = database.number(expiry);

            CompletableFuture<?> names =
                    CompletableFuture.runAsync(() -> client.admin().names(""));

            await().atMost(Duration.ofSeconds(60))
                    .until(() -> !held.isHeld() || database.number(expiry) > before + 2 * SESSION.toMillis());
            held.checkHeld();
            database.execute(tables.fill("DROP VIEW {ticket}"));
            database.execute("ALTER TABLE slow_" + prefix + " RENAME TO " + tables.table("ticket"));
            client.lock("another").acquireAsync().get(60, TimeUnit.SECONDS).close();
            names.handle((done, failure) -> failure).get(60, TimeUnit.SECONDS);
            held.checkHeld();
        }
    }

    @Test
    void names_connectionBreaksEachTime_failsAtLast() {
        AtomicInteger attempts = new AtomicInteger();
        Dialect breaking = FaultySteps.of(new Sqlite(), (step, real) -> {
            if (step == Step.NAMES) {
                attempts.incrementAndGet();
                throw new SQLException("no answer, says the test");
            }
            return real.run();
        });
        try (SqlTicketStore store = new SqlTicketStore(Database.of(file::connect, file.uri(0), breaking, tables))) {
            Session session = Sessions.open(store, Duration.ofMinutes(2));

            LockStoreException failure = Await.failure(session.names(""));

            assertThat(failure).hasMessageContaining("no answer, says the test");
            assertThat(attempts).hasValueGreaterThan(1);
            Await.get(session.heartbeat());
        }
    }

    @Test
    void take_lookingForWhatOthersHaveLeftBreaksTheConnectionEachTime_isAnswered() {
        Dialect breaking = FaultySteps.of(new Sqlite(), (step, real) -> {
            if (step == Step.ORPHANS) {
                throw new SQLException("no answer, says the test");
            }
            return real.run();
        });
        try (SqlTicketStore store = new SqlTicketStore(Database.of(file::connect, file.uri(0), breaking, tables))) {
            Session session = Sessions.open(store, Duration.ofMinutes(2));

            Await.get(session.queue("x").take(Sessions.request("first")));
        }
    }
}
