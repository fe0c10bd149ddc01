package io.wellkeeper.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.LeaseClient;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockSource;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Many threads want a few locks, in all ways, and no failure may reach them. What a lock protects is a number in the
 * database, read and then written in statements of their own, so that two holders at once would lose an update.
 *
 * <p>It lasts for some attempts of each thread, or for {@code -Dio.wellkeeper.jdbc.soak} seconds.
 */
@ExtendWith(SharedServers.class)
abstract class Contention {

    private static final int THREADS = 16;
    private static final int NAMES = 3;
    private static final int ATTEMPTS = 25;
    private static final Duration SOAK = Duration.ofSeconds(Long.getLong("io.wellkeeper.jdbc.soak", 0));
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Servers server;

    Contention(Servers server) {
        this.server = server;
    }

    @Test
    void locks_wantedInAllWaysAtOnce_noFailureAndNoLostUpdate() throws Exception {
        List<String> names = names();
        createNumbers(names);
        List<LockSource> clients = new ArrayList<>();
        Map<String, Long> outcomes = new TreeMap<>();
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            Map<String, LockSource> shared = connect(clients);
            List<Future<Map<String, Long>>> running = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                Contender contender = new Contender(server, names, i % 2 == 0 ? shared : connect(clients));
                running.add(
                        threads.submit(() -> SOAK.isZero() ? contender.attempt(ATTEMPTS) : contender.attemptFor(SOAK)));
            }
            for (Future<Map<String, Long>> one : running) {
                one.get(SOAK.plus(PATIENCE).toMillis(), TimeUnit.MILLISECONDS)
                        .forEach((outcome, times) -> outcomes.merge(outcome, times, Long::sum));
            }
        } finally {
            threads.shutdownNow();
            clients.forEach(LockSource::close);
        }

        if (!SOAK.isZero()) {
            outcomes.forEach((outcome, times) ->
                    System.out.println(server.getClass().getSimpleName() + " " + outcome + ": " + times));
        }
        for (String name : names) {
            assertThat(number(name)).as(name).isPositive().isEqualTo(outcomes.get(Contender.held(name)));
        }
        execute("DROP TABLE contention");
    }

    /** Those of the fair lock, and those of the lock table. */
    private static List<String> names() {
        List<String> names = new ArrayList<>();
        for (int i = 0; i < NAMES; i++) {
            names.add("jdbc:" + i);
            names.add("jdbc-simple:" + i);
        }
        return names;
    }

    /** A client of each kind, by what its URI and the names of its locks begin with. */
    private Map<String, LockSource> connect(List<LockSource> all) {
        LockSource fair = LockClient.connect(server.uri(server.port()));
        all.add(fair);
        LockSource simple = LeaseClient.connect(server.uri(server.port()).replaceFirst("jdbc:", "jdbc-simple:"));
        all.add(simple);
        return Map.of("jdbc:", fair, "jdbc-simple:", simple);
    }

    private void createNumbers(List<String> names) throws SQLException {
        execute("DROP TABLE IF EXISTS contention");
        execute("CREATE TABLE contention (name varchar(20) PRIMARY KEY, number bigint NOT NULL)");
        for (String name : names) {
            execute("INSERT INTO contention VALUES ('" + name + "', 0)");
        }
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private long number(String name) throws SQLException {
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT number FROM contention WHERE name = '" + name + "'")) {
            row.next();
            return row.getLong(1);
        }
    }
}
