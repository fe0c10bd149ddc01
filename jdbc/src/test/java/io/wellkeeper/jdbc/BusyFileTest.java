package io.wellkeeper.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Another program writes to the SQLite file, for longer than one attempt waits. */
class BusyFileTest {

    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final Duration SHORTEST_PATIENCE = Duration.ofMillis(1_500); // of the stores of leases
    private static final int OURS = 4;
    private static final int OTHERS = 1_000;

    private final AtomicInteger inVain = new AtomicInteger(-1); // attempts yet to come
    private Path file;
    private Connection another;
    private LeaseTableWork work;

    @BeforeEach
    void connect(@TempDir Path folder) throws SQLException {
        file = folder.resolve("locks.db");
        another = open();
        work = new LeaseTableWork(
                this::watched, "a file", new LeaseTableLayout("leases", "wellkeeper_lease", true, "expires"));
    }

    private Connection open() throws SQLException {
        return DriverManager.getConnection("jdbc:sqlite:" + file + "?journal_mode=WAL");
    }

    @AfterEach
    void disconnect() throws SQLException {
        work.close();
        another.close();
    }

    /** A connection of the store's, whose attempts to write are counted. */
    private Connection watched() throws SQLException {
        Connection real = open();
        return FaultySteps.proxy(Connection.class, (unused, method, arguments) -> {
            Object result = FaultySteps.invoke(real, method, arguments);
            return result instanceof PreparedStatement statement
                    ? FaultySteps.proxy(
                            PreparedStatement.class,
                            (self, called, values) -> called.getName().equals("execute")
                                    ? attempt(() -> FaultySteps.invoke(statement, called, values))
                                    : FaultySteps.invoke(statement, called, values))
                    : result;
        });
    }

    /** In vain it is for as long as an attempt may take. Before the first that is not, the other program has written. */
    private Object attempt(Sqlite.Work<Object> real) throws SQLException {
        int left = inVain.getAndDecrement();
        if (left == 0) {
            execute("COMMIT");
        }
        long end = System.nanoTime() + Sqlite.TURN.toNanos();
        while (true) {
            try {
                return real.run();
            } catch (SQLException busy) {
                if (left <= 0 || System.nanoTime() - end > 0) {
                    throw busy;
                }
            }
        }
    }

    private void execute(String sql) throws SQLException {
        try (var statement = another.createStatement()) {
            statement.execute(sql);
        }
    }

    private CompletableFuture<Long> acquire(String lock) {
        return run(lock, LeaseTableStep.ACQUIRE, 0);
    }

    private CompletableFuture<Long> renew(String lock, long token) {
        return run(lock, LeaseTableStep.RENEW, token);
    }

    private CompletableFuture<Long> run(String lock, LeaseTableStep step, long token) {
        Map<String, Object> parameters = new HashMap<>(Map.of("name", lock, "owner", "me", "metadata", ""));
        parameters.put("token", token);
        parameters.put("micros", PATIENCE.toNanos() / 1_000);
        return work.run(lock, step, parameters, PATIENCE);
    }

    /** For the next attempts. */
    private void keepBusy(int attempts) throws SQLException {
        inVain.set(attempts);
        execute("BEGIN IMMEDIATE");
    }

    @Test
    void renew_firstAttemptIsInVain_isTriedAgain() throws SQLException {
        long token = Await.get(acquire("mine"));
        keepBusy(1);

        assertThat(Await.get(renew("mine", token))).isEqualTo(1);
    }

    @Test
    void longestWait_patienceIsShort_leavesTimeForAnotherAttempt() {
        assertThat(Duration.ofNanos(LeaseTableDialect.SQLITE.longestWaitNanos()))
                .isBetween(Sqlite.TURN, SHORTEST_PATIENCE.minus(Sqlite.TURN));
    }

    /** Whoever writes is in the way of all alike; when he does not, there may be little time before the next one does. */
    @Test
    void renew_severalAttemptsAreInVain_goesBeforeWhatAsksForLocks() throws SQLException {
        List<Long> tokens = IntStream.range(0, OURS)
                .mapToObj(i -> Await.get(acquire("mine-" + i)))
                .toList();
        List<String> answered = new CopyOnWriteArrayList<>();
        List<CompletableFuture<?>> all = new ArrayList<>();
        keepBusy(2 * OURS);

        for (int i = 0; i < OURS; i++) {
            all.add(renew("mine-" + i, tokens.get(i)).thenRun(() -> answered.add("mine")));
        }
        for (int i = 0; i < OTHERS; i++) {
            all.add(acquire("another-" + i).thenRun(() -> answered.add("another")));
        }

        all.forEach(Await::get);
        assertThat(answered.lastIndexOf("mine")).isLessThan(OTHERS / 2); // some go before while it is paused
    }
}
