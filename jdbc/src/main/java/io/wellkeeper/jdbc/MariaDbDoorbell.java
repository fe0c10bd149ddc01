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
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** Reads the messages to one session; is used by one thread. */
final class MariaDbDoorbell implements Dialect.Doorbell {

    private static final int WAITED_TOO_LONG = 1205;
    private static final int INTERRUPTED = 1317;
    private static final int ANSWER_MILLIS = 2_000;
    private static final int MOST_READ = 10; // each is passed over in every reading
    private static final long PAUSE_MILLIS = 20;

    private final Connection connection;
    private final MariaDbScript letters;
    private final MariaDbScript settled;
    private final MariaDbScript unsettled;
    private final MariaDbScript delivered;
    private final MariaDbScript forgotten;
    private final String session;
    private final MariaDbSeen seen;
    private final String anchor;
    private final Deque<String> received = new ArrayDeque<>();
    private final List<Long> read = new ArrayList<>(); // messages that were read and not cleared
    private int mostRead = MOST_READ; // more, if some could not be cleared

    MariaDbDoorbell(Connection connection, Tables tables, String session, MariaDbSeen seen) {
        this.connection = connection;
        this.session = session;
        this.seen = seen;
        this.letters = MariaDbScript.prepared("letters.sql", tables, false);
        this.settled = new MariaDbScript("settled.sql", tables);
        this.unsettled = new MariaDbScript("unsettled.sql", tables);
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

    /** Receives messages; returns whether to do so again, because another client has ended the statement. */
    private boolean isRung(Duration patience) throws SQLException {
        try {
            receive(patience);
            return false;
        } catch (SQLException failure) {
            if (failure.getErrorCode() == INTERRUPTED) {
                release(); // the anchor may have been acquired before the statement was ended
                return true;
            }
            throw failure;
        }
    }

    /** Clears the first of the messages that were read. */
    private void clear(int number) throws SQLException {
        List<Long> first = read.subList(0, number);
        if (number > 0
                && attempt(delivered, Map.of("ids", first.toArray(Long[]::new))).isPresent()) {
            first.clear();
        }
        mostRead = read.size() + MOST_READ;
    }

    /** Runs a script that may wait for transactions; empty if one of them takes too long or somebody rings. */
    private Optional<MariaDbScript.Answer> attempt(MariaDbScript script, Map<String, ?> parameters)
            throws SQLException {
        try {
            return Optional.of(script.run(connection, parameters));
        } catch (SQLException failure) {
            if (failure.getErrorCode() == WAITED_TOO_LONG || failure.getErrorCode() == INTERRUPTED) {
                return Optional.empty();
            }
            throw failure;
        }
    }

    /**
     * Makes the connection ready, and clears the messages that came when nobody listened. A session that begins to
     * listen looks at everything, so nothing is lost by that, nor by reading messages that could not be cleared.
     */
    void begin() throws SQLException {
        letters.prepare(connection);
        attempt(forgotten, Map.of("me", session));
    }

    /**
     * Receives the messages that are true by now, in the order in which they were sent. If there are only open ones, it
     * waits for these until somebody rings, or for a while, as a ring may miss the wait. Messages that were read are
     * cleared when no other comes for a while, or when they have become many; in that case not the last one, which is
     * hardly committed yet.
     */
    private void receive(Duration patience) throws SQLException {
        if (read.size() >= mostRead) {
            clear(read.size() - 1);
        }
        Map<String, Object> parameters = new HashMap<>();
        parameters.put("me", session);
        parameters.put("anchor", anchor);
        parameters.put("seconds", read.isEmpty() ? patience.toSeconds() : 1L);
        parameters.put("read", read.stream().map(String::valueOf).collect(Collectors.joining(",")));
        MariaDbScript.Answer answer = letters.run(connection, parameters);
        if (!answer.marked("anchor").isEmpty()) {
            drop();
        }
        Map<String, Object[]> open = Map.of(
                "ids",
                answer.last().stream()
                        .filter(row -> isOpen((String) row[1]))
                        .map(row -> row[0])
                        .toArray());
        Set<Object> closed = settled(open);
        for (Object[] row : answer.last()) {
            String text = (String) row[1];
            if (!isOpen(text)) {
                read.add((Long) row[0]);
                received.add(text);
                see(text);
            } else if (closed.contains(row[0])) {
                read.add((Long) row[0]);
                received.add(text.substring(1));
            }
        }
        if (!received.isEmpty()) {
            return;
        }
        if (answer.last().isEmpty()) {
            clear(read.size());
        } else {
            attempt(unsettled, open);
        }
    }

    /** Whether the message does not count before it is committed. */
    private static boolean isOpen(String text) {
        return text.charAt(0) == '?';
    }

    /** The numbers of the open messages that are committed by now. */
    private Set<Object> settled(Map<String, Object[]> open) throws SQLException {
        Set<Object> ids = new HashSet<>();
        if (Objects.requireNonNull(open.get("ids")).length > 0) {
            settled.run(connection, open).last().forEach(row -> ids.add(row[0]));
        }
        return ids;
    }

    private void see(String text) {
        int blank = text.indexOf(' ');
        if (text.charAt(0) == 'd' && blank >= 0) {
            seen.look(MariaDbQueues.words(text.substring(blank)), session);
        }
    }

    /** The connection for requests is gone: its successor will soon want the anchor. */
    private void drop() throws SQLException {
        release();
        try {
            TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
        } catch (InterruptedException nobodyDoes) {
            Thread.currentThread().interrupt();
        }
    }

    /** Releases the anchor, as many times as it was acquired. */
    private void release() throws SQLException {
        boolean had = true;
        while (had) {
            try {
                Object released = MariaDb.value(connection, "SELECT RELEASE_LOCK(?)", anchor);
                had = released instanceof Number number && number.intValue() == 1;
            } catch (SQLException failure) {
                if (failure.getErrorCode() != INTERRUPTED) {
                    throw failure;
                }
            }
        }
    }
}
