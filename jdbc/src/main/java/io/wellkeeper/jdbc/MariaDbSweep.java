package io.wellkeeper.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Ends sessions whose time is up, and sends away what they leave behind. */
final class MariaDbSweep {

    private static final int LOCK_TIMEOUT = 1205; // at once, of MariaDB
    private static final int LOCKED = 3572; // of MySQL

    private final MariaDbPost post;
    private final MariaDbScript orphans;
    private final MariaDbScript expire;
    private final MariaDbScript bury;
    private final MariaDbScript delivered;
    private final MariaDbScript queue;
    private final MariaDbScript living;
    private final MariaDbScript sweep;

    MariaDbSweep(Tables tables, MariaDbPost post, MariaDbScript orphans) {
        this.post = post;
        this.orphans = orphans;
        expire = new MariaDbScript("expire.sql", tables);
        bury = new MariaDbScript("bury.sql", tables);
        delivered = new MariaDbScript("delivered.sql", tables);
        queue = new MariaDbScript("queue.sql", tables);
        living = new MariaDbScript("living.sql", tables);
        sweep = new MariaDbScript("sweep.sql", tables);
    }

    /** Ends all whose time is up, and sweeps. */
    void all(Connection connection) throws SQLException {
        for (Object[] name : orphans(connection)) {
            sweep(connection, (String) name[0]);
        }
    }

    /** Ends all whose time is up; the names that have tickets of such. */
    List<Object[]> orphans(Connection connection) throws SQLException {
        MariaDbScript.Answer answer = orphans.run(connection, Map.of());
        boolean ended = false;
        for (String dead : answer.marked("dead")) {
            ended |= expire(connection, dead);
        }
        if (ended) {
            answer = orphans.run(connection, Map.of());
        }
        bury(connection, answer);
        clear(connection, answer.marked("message"));
        return answer.last();
    }

    /** Clears messages by their numbers. */
    void clear(Connection connection, Set<String> messages) throws SQLException {
        if (!messages.isEmpty()) {
            delivered.run(
                    connection,
                    Map.of("ids", messages.stream().map(Long::valueOf).toArray(Long[]::new)));
        }
    }

    /** Forgets those who have nothing any more. */
    void bury(Connection connection) throws SQLException {
        bury(connection, orphans.run(connection, Map.of()));
    }

    private void bury(Connection connection, MariaDbScript.Answer answer) throws SQLException {
        Set<String> gone = answer.marked("gone");
        if (!gone.isEmpty()) {
            bury.run(connection, Map.of("gone", gone.toArray(String[]::new)));
        }
    }

    /** False if it stays for the time being, because a transaction guards it, or somebody else is at it. */
    boolean expire(Connection connection, String dead) throws SQLException {
        try {
            expire.run(connection, Map.of("dead", dead));
        } catch (SQLException failure) {
            if (failure.getErrorCode() == LOCK_TIMEOUT || failure.getErrorCode() == LOCKED) {
                return false;
            }
            throw failure;
        }
        post.ring(connection, dead);
        return true;
    }

    /** Sends the tickets of ended sessions away, and tells those who stand behind them, or watch them. */
    void sweep(Connection connection, String name) throws SQLException {
        boolean done = false;
        List<String[]> messages = List.of();
        try {
            List<Object[]> rows = queue.run(connection, Map.of("name", name)).last();
            if (!rows.isEmpty()) {
                messages = sweep(connection, name, rows.get(0));
            }
            execute(connection, "COMMIT");
            done = true;
        } finally {
            if (!done) {
                execute(connection, "ROLLBACK");
            }
        }
        for (String[] message : messages) {
            post.tell(connection, message[0], message[1]);
        }
        bury(connection);
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** The messages that are to be sent: to whom, and what. */
    private List<String[]> sweep(Connection connection, String name, Object[] row) throws SQLException {
        MariaDbScript.Answer others = living.run(connection, Map.of("name", name));
        Set<String> alive = others.marked("living");
        List<String> words = MariaDbQueues.words((String) row[0]);
        List<String> dead = new ArrayList<>(words);
        dead.removeIf(word -> alive.contains(MariaDbQueues.session(word)));
        Set<Long> numbers = new HashSet<>();
        others.marked("gone").forEach(number -> numbers.add(Long.valueOf(number)));
        dead.forEach(word -> numbers.add(MariaDbQueues.number(word)));
        List<String> watches = new ArrayList<>(MariaDbQueues.words((String) row[1]));
        watches.removeIf(watch -> !alive.contains(MariaDbQueues.watcher(watch)));
        String alone = alive.stream().anyMatch(((String) row[2])::startsWith) ? (String) row[2] : "";
        List<String> left = new ArrayList<>(words);
        left.removeAll(dead);
        List<String[]> messages = new ArrayList<>();
        for (String word : dead) {
            String text = "d" + MariaDbQueues.id(word) + MariaDbQueues.text(left);
            Set<String> told = new HashSet<>();
            MariaDbQueues.next(left, MariaDbQueues.number(word), "").ifPresent(told::add);
            for (String watch : MariaDbQueues.watching((String) row[1], word)) {
                told.add(MariaDbQueues.watcher(watch));
                watches.remove(watch);
            }
            told.stream().filter(alive::contains).forEach(session -> messages.add(new String[] {session, text}));
        }
        numbers.add(0L); // of no ticket
        Map<String, Object> parameters = new HashMap<>();
        parameters.put("name", name);
        parameters.put("queue", MariaDbQueues.text(left));
        parameters.put("watches", MariaDbQueues.text(watches));
        parameters.put("alone", alone);
        parameters.put("numbers", numbers.toArray(Long[]::new));
        sweep.run(connection, parameters);
        return messages;
    }
}
