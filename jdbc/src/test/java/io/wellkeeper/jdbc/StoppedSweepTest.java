package io.wellkeeper.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.spi.Session;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A client stands still while it sweeps, before one of its requests: which of them, the tests try in turn. */
@Tag("full")
@ExtendWith(SharedServers.class)
class StoppedSweepTest {

    private static final Duration SESSION = Duration.ofSeconds(4);
    private static final int SECONDS = 20;

    private final MariaDbServer mariaDb;
    private final PostgresServer postgres;

    StoppedSweepTest(MariaDbServer mariaDb, PostgresServer postgres) {
        this.mariaDb = mariaDb;
        this.postgres = postgres;
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void sweep_clientStandsStillInItsMidst_othersGoOn(boolean allowMultiQueries) throws Exception {
        String url = mariaDb.uri(mariaDb.port()) + "&allowMultiQueries=" + allowMultiQueries;
        assertOthersGoOn(new MariaDb(), url, "UTC_TIMESTAMP(6) - INTERVAL 1 HOUR");
    }

    @Test
    void sweep_clientOfPostgresStandsStillInItsMidst_othersGoOn() throws Exception {
        assertOthersGoOn(new PostgreSql(), postgres.uri(postgres.port()), postgres.past());
    }

    private static void assertOthersGoOn(Dialect dialect, String url, String past) throws Exception {
        boolean isOver = false;
        for (int request = 1; !isOver; request++) {
            isOver = assertOthersGoOn(dialect, url, past, request);
            assertThat(request).isLessThan(50);
        }
    }

    /** Whether the sweep has ended before that request. */
    private static boolean assertOthersGoOn(Dialect dialect, String url, String past, int request) throws Exception {
        Tables tables = new Tables(Optional.empty(), RealDatabase.prefix());
        PlainDataSource source = () -> DriverManager.getConnection(url);
        CountDownLatch stopped = new CountDownLatch(1);
        CountDownLatch goesOn = new CountDownLatch(1);
        SqlTicketStore dying = store(dialect, source, tables);
        try (Connection connection = source.getConnection()) {
            Session dead = Sessions.open(dying, Duration.ofMinutes(10));
            Await.get(dead.queue("left").take(Sessions.request("left")));
            execute(connection, tables.fill("UPDATE {session} SET expires = " + past + " WHERE LENGTH(id) = 13"));

            dialect.prepare(connection, tables, "sweeper", Duration.ofMillis(500));
            Steps steps = dialect.statements(tables);
            steps.run(connection, Step.ORPHANS, Map.of("me", "sweeper", "millis", 1L));
            Connection slow = stoppedBefore(connection, request, stopped, goesOn);
            CompletableFuture<Object> sweep =
                    Calls.start(() -> steps.run(slow, Step.SWEEP, Map.of("name", "left", "me", "sweeper")));
            CompletableFuture.anyOf(sweep, CompletableFuture.runAsync(() -> await(stopped)))
                    .get(SECONDS, TimeUnit.SECONDS);
            boolean isOver = stopped.getCount() > 0;

            try (LockClient fresh = LockClient.over(
                    store(dialect, source, tables),
                    ClientOptions.builder().sessionTimeout(SESSION).build())) {
                assertThat(fresh.lock("unrelated").tryLock(SECONDS / 2, TimeUnit.SECONDS))
                        .isTrue();
                try (LockHandle swept = fresh.lock("left").acquireAsync().get(SECONDS, TimeUnit.SECONDS)) {
                    swept.checkHeld();
                }
                fresh.lock("unrelated").checkHeld();
                fresh.lock("unrelated").unlock();
            } finally {
                goesOn.countDown();
                Calls.result(sweep);
            }
            return isOver;
        } finally {
            stopped.countDown();
            dying.close();
        }
    }

    private static SqlTicketStore store(Dialect dialect, PlainDataSource source, Tables tables) {
        return new SqlTicketStore(Database.of(source::getConnection, "stopped", dialect, tables));
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (var statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException nobodyDoes) {
            throw new IllegalStateException(nobodyDoes);
        }
    }

    private static Connection stoppedBefore(
            Connection connection, int request, CountDownLatch stopped, CountDownLatch goesOn) {
        AtomicInteger requests = new AtomicInteger();
        return (Connection) Proxy.newProxyInstance(
                StoppedSweepTest.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                (self, method, arguments) -> {
                    boolean sends = method.getName().equals("prepareStatement")
                            || method.getName().equals("createStatement");
                    if (sends && requests.incrementAndGet() == request) {
                        stopped.countDown();
                        await(goesOn);
                    }
                    try {
                        return method.invoke(connection, arguments);
                    } catch (InvocationTargetException failed) {
                        throw failed.getCause();
                    }
                });
    }
}
