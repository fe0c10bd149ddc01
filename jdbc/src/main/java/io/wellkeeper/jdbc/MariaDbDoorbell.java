package io.wellkeeper.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
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

    /** Clears the first of those that were read. */
    private void clear(int number) throws SQLException {
        List<Long> first = read.subList(0, number);
        if (number > 0
                && attempt(delivered, Map.of("ids", first.toArray(Long[]::new))).isPresent()) {
            first.clear();
        }
    }

    /** Carries out what may have to wait for transactions, unless one of them takes too long. */
    private Optional<MariaDbScript.Answer> attempt(MariaDbScript script, Map<String, ?> parameters)
            throws SQLException {
        try {
            return Optional.of(script.run(connection, parameters));
        } catch (SQLException failure) {
            if (failure.getErrorCode() == WAITED_TOO_LONG) {
                return Optional.empty();
            }
            throw failure;
        }
    }

    /**
     * Makes the connection ready, and clears what came when nobody listened: whoever begins to listen looks at everything, so
     * nothing is lost by it, nor by reading what could not be cleared.
     */
    void begin() throws SQLException {
        letters.prepare(connection);
        attempt(forgotten, Map.of("me", session));
    }

    /**
     * What was read is cleared when nothing else comes for a while, or when it has become much, but for the newest then: it
     * may have to be waited for. Open messages are waited for when there are no others, until a ring comes or it takes too
     * long, and then again.
     */
    private void receive(Duration patience) throws SQLException {
        if (read.size() >= MOST_READ) {
            clear(read.size() - 1);
        }
        Map<String, Object> parameters = new HashMap<>();
        parameters.put("me", session);
        parameters.put("anchor", anchor);
        parameters.put("seconds", read.isEmpty() ? patience.toSeconds() : 1L);
        parameters.put("read", read.stream().map(String::valueOf).collect(Collectors.joining(",")));
        MariaDbScript.Answer answer = letters.run(connection, parameters);
        Map<Long, String> open = new HashMap<>();
        for (Object[] row : answer.last()) {
            Long id = (Long) row[0];
            String text = (String) row[1];
            if (isOpen(text)) {
                open.put(id, text.substring(1));
            } else {
                read.add(id);
                received.add(text);
                see(text);
            }
        }
        if (received.isEmpty()) {
            settle(open);
        }
        if (received.isEmpty()) {
            clear(read.size());
        }
        if (!answer.marked("anchor").isEmpty()) {
            drop();
        }
    }

    /** Whether it is good for nothing yet. */
    private static boolean isOpen(String text) {
        return text.charAt(0) == '?';
    }

    /** Waits for what becomes of open messages. */
    private void settle(Map<Long, String> open) throws SQLException {
        if (!open.isEmpty()) {
            Map<String, Object[]> parameters = Map.of("ids", open.keySet().toArray());
            attempt(settled, parameters)
                    .map(MariaDbScript.Answer::last)
                    .orElse(List.of())
                    .forEach(row -> {
                        read.add((Long) row[0]);
                        received.add(Objects.requireNonNull(open.get(row[0])));
                    });
        }
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
