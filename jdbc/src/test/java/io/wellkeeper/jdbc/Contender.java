package io.wellkeeper.jdbc;

import io.wellkeeper.DistributedLock;
import io.wellkeeper.LockSource;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.IntPredicate;

/** A thread that wants one lock after the other, and while it holds one adds to the number of that name. */
final class Contender {

    private static final int LONGEST_WAIT_MILLIS = 50;

    private final Servers server;
    private final List<String> names;
    private final Map<String, LockSource> clients;
    private final Random random = new Random();
    private final Map<String, Long> outcomes = new HashMap<>();

    /**
     * @param clients by what the names of their locks begin with, up to the colon
     */
    Contender(Servers server, List<String> names, Map<String, LockSource> clients) {
        this.server = server;
        this.names = names;
        this.clients = clients;
    }

    /** The outcome that counts how often a lock was held. */
    static String held(String name) {
        return name + " held";
    }

    /** Makes so many attempts. */
    Map<String, Long> attempt(int times) throws SQLException, InterruptedException {
        return attemptWhile(round -> round < times);
    }

    /** Goes on for so long. */
    Map<String, Long> attemptFor(Duration time) throws SQLException, InterruptedException {
        long begin = System.nanoTime();
        return attemptWhile(round -> System.nanoTime() - begin < time.toNanos());
    }

    private Map<String, Long> attemptWhile(IntPredicate more) throws SQLException, InterruptedException {
        try (Connection connection = server.connect()) {
            for (int round = 0; more.test(round); round++) {
                attempt(connection, names.get(random.nextInt(names.size())));
            }
        }
        return outcomes;
    }

    private void attempt(Connection connection, String name) throws SQLException, InterruptedException {
        String kind = name.substring(0, name.indexOf(':') + 1);
        DistributedLock lock =
                Optional.ofNullable(clients.get(kind)).orElseThrow().lock(name);
        if (!acquire(kind, lock)) {
            return;
        }
        try {
            increment(connection, name);
            count(held(name));
        } finally {
            lock.unlock();
        }
    }

    private boolean acquire(String kind, DistributedLock lock) throws InterruptedException {
        return switch (random.nextInt(3)) {
            case 0 -> {
                lock.lock();
                yield counted(kind + " lock", true);
            }
            case 1 -> {
                int wait = 1 + random.nextInt(LONGEST_WAIT_MILLIS);
                yield counted(kind + " timed tryLock", lock.tryLock(wait, TimeUnit.MILLISECONDS));
            }
            default -> counted(kind + " tryLock", lock.tryLock());
        };
    }

    private boolean counted(String way, boolean had) {
        count(way + (had ? "" : " in vain"));
        return had;
    }

    private void count(String outcome) {
        outcomes.merge(outcome, 1L, Long::sum);
    }

    private static void increment(Connection connection, String name) throws SQLException {
        try (PreparedStatement read = connection.prepareStatement("SELECT number FROM contention WHERE name = ?");
                PreparedStatement write =
                        connection.prepareStatement("UPDATE contention SET number = ? WHERE name = ?")) {
            read.setString(1, name);
            try (ResultSet row = read.executeQuery()) {
                row.next();
                write.setLong(1, row.getLong(1) + 1);
            }
            write.setString(2, name);
            write.executeUpdate();
        }
    }
}
