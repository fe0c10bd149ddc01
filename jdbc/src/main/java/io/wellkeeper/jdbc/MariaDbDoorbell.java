package io.wellkeeper.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** Reads the messages to one session; is used by one thread. */
final class MariaDbDoorbell implements Dialect.Doorbell {

    private static final int INTERRUPTED = 1317;
    private static final int ANSWER_MILLIS = 2_000;
    private static final int MOST_READ = 10; // each is passed over in every reading
    private static final long PAUSE_MILLIS = 20;

    private final Connection connection;
    private final MariaDbScript letters;
    private final MariaDbScript settled;
    private final MariaDbScript delivered;
    private final MariaDbScript forgotten;
    private final String session;
    private final MariaDbSeen seen;
    private final String anchor;
    private final Deque<String> received = new ArrayDeque<>();
    private final List<Long> read = new ArrayList<>(); // and not cleared

    MariaDbDoorbell(Connection connection, Tables tables, String session, MariaDbSeen seen) {
        this.connection = connection;
        this.session = session;
        this.seen = seen;
        this.letters = MariaDbScript.prepared("letters.sql", tables, false);
        this.settled = new MariaDbScript("settled.sql", tables);
        this.delivered = new MariaDbScript("delivered.sql", tables);
        this.forgotten = new MariaDbScript("forgotten.sql", tables);
        this.anchor = MariaDb.anchor(tables, session);
    }

    @Override
    public Optional<String> await(Duration patience) throws SQLException {
        if (received.isEmpty()) {
            connection.setNetworkTimeout(Runnable::run, (int) patience.toMillis() + ANSWER_MILLIS);
            boolean rung;
            do {
                rung = isRung(patience);
            } while (rung);
        }
        return Optional.ofNullable(received.poll());
    }

    /** Whether it is to be done again, because somebody has ended what was being done. */
    private boolean isRung(Duration patience) throws SQLException {
        try {
            receive(patience);
            return false;
        } catch (SQLException failure) {
            if (failure.getErrorCode() == INTERRUPTED) {
                return true;
            }
            throw failure;
        }
    }

    private void clear() throws SQLException {
        if (!read.isEmpty()) {
            delivered.run(connection, Map.of("ids", read.toArray(Long[]::new)));
            read.clear();
        }
    }

    /**
     * Makes the connection ready, and clears what came when nobody listened: whoever begins to listen looks at everything.
     */
    void begin() throws SQLException {
        letters.prepare(connection);
        forgotten.run(connection, Map.of("me", session));
    }

    /** What was read is cleared when nothing else comes for a while, or when it has become much: no message waits for it. */
    private void receive(Duration patience) throws SQLException {
        if (read.size() >= MOST_READ) {
            clear();
        }
        Map<String, Object> parameters = new HashMap<>();
        parameters.put("me", session);
        parameters.put("anchor", anchor);
        parameters.put("seconds", read.isEmpty() ? patience.toSeconds() : 1L);
        parameters.put("read", read.stream().map(String::valueOf).collect(Collectors.joining(",")));
        MariaDbScript.Answer answer = letters.run(connection, parameters);
        Set<Object> settledOnes = settled(answer.last());
        for (Object[] row : answer.last()) {
            String text = (String) row[1];
            read.add((Long) row[0]);
            if (!isOpen(text)) {
                received.add(text);
                see(text);
            } else if (settledOnes.contains(row[0])) {
                received.add(text.substring(1));
            }
        }
        if (received.isEmpty()) {
            clear();
        }
        if (!answer.marked("anchor").isEmpty()) {
            drop();
        }
    }

    /** Whether it is good for nothing yet. */
    private static boolean isOpen(String text) {
        return text.charAt(0) == '?';
    }

    /** The numbers of those that were open, and have come to stay. */
    private Set<Object> settled(List<Object[]> letters) throws SQLException {
        List<Long> open = new ArrayList<>();
        for (Object[] row : letters) {
            if (isOpen((String) row[1])) {
                open.add((Long) row[0]);
            }
        }
        Set<Object> ids = new HashSet<>();
        if (!open.isEmpty()) {
            Map<String, Object[]> parameters = Map.of("ids", open.toArray());
            settled.run(connection, parameters).last().forEach(row -> ids.add(row[0]));
        }
        return ids;
    }

    private void see(String text) {
        int blank = text.indexOf(' ');
        if (text.charAt(0) == 'd' && blank >= 0) {
            seen.look(MariaDbQueues.words(text.substring(blank)), session);
        }
    }

    /** The connection for requests is gone: soon its successor will want this. */
    private void drop() throws SQLException {
        MariaDb.value(connection, "SELECT RELEASE_LOCK(?)", anchor);
        try {
            TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
        } catch (InterruptedException nobodyDoes) {
            Thread.currentThread().interrupt();
        }
    }
}
