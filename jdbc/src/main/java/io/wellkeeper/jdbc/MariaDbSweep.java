package io.wellkeeper.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Ends sessions whose time is up, and clears away the tickets and watches that they leave behind. */
final class MariaDbSweep {

    private static final int LOCK_TIMEOUT = 1205; // at once, of MariaDB
    private static final int LOCKED = 3572; // of MySQL
    private static final int ATTEMPTS = 5; // at a row that others change
    private static final int MOST_AT_ONCE = 50;

    private final MariaDbPost post;
    private final MariaDbScript orphans;
    private final MariaDbScript ended;
    private final MariaDbScript expire;
    private final MariaDbScript gone;
    private final MariaDbScript bury;
    private final MariaDbScript delivered;
    private final MariaDbScript queue;
    private final MariaDbScript sweep;

    MariaDbSweep(Tables tables, MariaDbPost post, MariaDbScript orphans) {
        this.post = post;
        this.orphans = orphans;
        ended = new MariaDbScript("ended.sql", tables);
        expire = new MariaDbScript("expire.sql", tables);
        gone = new MariaDbScript("gone.sql", tables);
        bury = new MariaDbScript("bury.sql", tables);
        delivered = new MariaDbScript("delivered.sql", tables);
        queue = new MariaDbScript("queue.sql", tables);
        sweep = new MariaDbScript("sweep.sql", tables);
    }

    /** As {@link #living}, of a queue; tickets of ended sessions are cleared away from it. */
    List<String> swept(Connection connection, String name, List<String> words) throws SQLException {
        List<String> living = living(connection, words);
        if (living.size() < words.size()) {
            sweep(connection, name);
        }
        return living;
    }

    /**
     * Ends the sessions of these tickets whose time is up; returns the tickets without those of sessions that have
     * ended.
     */
    List<String> living(Connection connection, List<String> words) throws SQLException {
        if (words.isEmpty()) {
            return words;
        }
        Map<String, Object> sessions = Map.of(
                "sessions",
                words.stream().map(MariaDbQueues::session).distinct().toArray(String[]::new));
        MariaDbScript.Answer answer = ended.run(connection, sessions);
        if (expire(connection, answer.marked("dead"))) {
            answer = ended.run(connection, sessions);
        }
        Set<String> living = answer.marked("living");
        return words.stream()
                .filter(word -> living.contains(MariaDbQueues.session(word)))
                .toList();
    }

    /** Ends the sessions whose time is up; returns the names that have tickets of ended sessions. */
    List<Object[]> orphans(Connection connection) throws SQLException {
        MariaDbScript.Answer answer = orphans.run(connection, Map.of());
        if (expire(connection, answer.marked("dead"))) {
            answer = orphans.run(connection, Map.of());
        }
        bury(connection);
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

    /** Forgets the ended sessions that have nothing left. */
    void bury(Connection connection) throws SQLException {
        Set<String> none = gone.run(connection, Map.of()).marked("gone");
        if (!none.isEmpty()) {
            bury.run(connection, Map.of("gone", none.toArray(String[]::new)));
        }
    }

    /** Ends some sessions, only so many at once that a heartbeat need not wait long; returns whether any was ended. */
    private boolean expire(Connection connection, Set<String> dead) throws SQLException {
        boolean ended = false;
        for (String each : dead.stream().limit(MOST_AT_ONCE).toList()) {
            ended |= expire(connection, each);
        }
        return ended;
    }

    /**
     * Ends a session; false if that is left for later, because a transaction guards it, or another client is ending it.
     */
    private boolean expire(Connection connection, String dead) throws SQLException {
        try {
            expire.run(connection, Map.of("dead", dead));
        } catch (SQLException failure) {
            if (isLocked(failure)) {
                return false;
            }
            throw failure;
        }
        post.ring(connection, dead);
        return true;
    }

    /**
     * Removes the tickets of ended sessions, and tells the sessions that stand behind these tickets or watch them. The
     * row of the lock is not waited for, and is locked only while one request writes what is left.
     *
     * @return false if another client had the row: then the next client that looks does it
     */
    boolean sweep(Connection connection, String name) throws SQLException {
        for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
            MariaDbScript.Answer found = queue.run(connection, Map.of("name", name));
            Optional<Swept> swept = Optional.of(swept(name, found)).filter(Swept::isAny);
            if (swept.isEmpty() || isWritten(connection, swept.get())) {
                for (String[] message : swept.map(Swept::messages).orElse(List.of())) {
                    post.tell(connection, message[0], message[1]);
                }
                bury(connection);
                return true;
            }
        }
        return false;
    }

    /**
     * The outcome of a sweep.
     *
     * @param isAny whether there is anything to be written
     * @param parameters of what is written
     * @param messages that are to be sent: to whom, and what
     */
    private record Swept(boolean isAny, Map<String, Object> parameters, List<String[]> messages) {}

    /** Writes what is left; false if another client has the row, or has changed it since. */
    private boolean isWritten(Connection connection, Swept swept) throws SQLException {
        try {
            List<Object[]> rows = sweep.run(connection, swept.parameters).last();
            return !rows.isEmpty() && rows.get(0)[0] instanceof Number same && same.intValue() == 1;
        } catch (SQLException failure) {
            if (isLocked(failure)) {
                return false;
            }
            throw failure;
        }
    }

    private static boolean isLocked(SQLException failure) {
        return failure.getErrorCode() == LOCK_TIMEOUT || failure.getErrorCode() == LOCKED;
    }

    private static Swept swept(String name, MariaDbScript.Answer found) {
        String queue = only(found, "queue");
        String watched = only(found, "watches");
        String lone = only(found, "alone");
        Set<String> alive = found.marked("living");
        List<String> words = MariaDbQueues.words(queue);
        List<String> left = words.stream()
                .filter(word -> alive.contains(MariaDbQueues.session(word)))
                .toList();
        Set<Long> numbers = new HashSet<>();
        found.marked("gone").forEach(number -> numbers.add(Long.valueOf(number)));
        List<String> watches = new ArrayList<>(MariaDbQueues.words(watched));
        boolean isStale = watches.removeIf(watch -> !alive.contains(MariaDbQueues.watcher(watch)));
        String alone = alive.stream().anyMatch(lone::startsWith) ? lone : "";
        List<String[]> messages = new ArrayList<>();
        String rest = MariaDbQueues.text(left);
        for (int i = 0; i < words.size(); i++) {
            String word = words.get(i);
            if (alive.contains(MariaDbQueues.session(word))) {
                continue;
            }
            numbers.add(MariaDbQueues.number(word));
            Set<String> told = new HashSet<>();
            if (i + 1 < words.size()) { // the session right behind it is told without a watch
                told.add(MariaDbQueues.session(words.get(i + 1)));
            }
            for (String watch : MariaDbQueues.watching(watched, word)) {
                told.add(MariaDbQueues.watcher(watch));
                watches.remove(watch);
            }
            told.retainAll(alive);
            told.forEach(session -> messages.add(new String[] {session, "d" + MariaDbQueues.id(word) + rest}));
        }
        boolean isAny = isStale || !numbers.isEmpty();
        numbers.add(0L); // of no ticket
        Map<String, Object> parameters = new HashMap<>();
        parameters.put("name", name);
        parameters.put("was", queue);
        parameters.put("watched", watched);
        parameters.put("lone", lone);
        parameters.put("queue", rest);
        parameters.put("watches", MariaDbQueues.text(watches));
        parameters.put("alone", alone);
        parameters.put("numbers", numbers.toArray(Long[]::new));
        return new Swept(isAny || !alone.equals(lone), parameters, messages);
    }

    /** Empty if an operator has deleted the row of the lock. */
    private static String only(MariaDbScript.Answer found, String column) {
        return found.marked(column).stream().findFirst().orElse("");
    }
}
