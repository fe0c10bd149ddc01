package io.wellkeeper.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/**
 * Looks for messages to one session: at once after the last message, and ever less often while there is none, so that a
 * message is seen late by an eighth of the time waited, and by 20 ms at most. As long as nobody has written to the
 * file, a look reads nothing but a number in shared memory. Used by one thread.
 */
final class SqliteDoorbell implements Dialect.Doorbell {

    private static final long SHORTEST_PAUSE_NANOS = 500_000;
    private static final long LONGEST_PAUSE_NANOS = 20_000_000;
    private static final int PART_OF_THE_WAIT = 8;
    private static final int MOST_KEPT = 100;
    private static final Duration QUIET = Duration.ofMillis(500);

    private final Connection connection;
    private final String session;
    private final SqliteFile file;
    private final String letters;
    private final String living;
    private final String delivered;
    private final Deque<String> received = new ArrayDeque<>();
    private long version = -1; // of the file, when it was last read
    private long last; // id of the last message that was received
    private int kept; // messages that were received, and are still in the file
    private long quietSince = System.nanoTime();
    private boolean lived; // the session's row was there when the file was last read

    SqliteDoorbell(Connection connection, Tables tables, String session) throws SQLException {
        this.connection = connection;
        this.session = session;
        this.file = SqliteFile.of(connection);
        this.letters = tables.fill("SELECT id, text FROM {inbox} WHERE session = ? AND id > ? ORDER BY id");
        this.living = tables.fill("SELECT EXISTS (SELECT 1 FROM {session} WHERE id = ?)");
        this.delivered = tables.fill("DELETE FROM {inbox} WHERE session = ? AND id <= ?");
    }

    @Override
    public Optional<String> await(Duration patience) throws SQLException {
        long begin = System.nanoTime();
        while (received.isEmpty()) {
            long now = System.nanoTime();
            look();
            if (!received.isEmpty()) {
                quietSince = System.nanoTime();
            } else if (now - begin > patience.toNanos()) {
                break;
            } else {
                if (kept > 0 && now - quietSince > QUIET.toNanos()) {
                    clear();
                }
                long pause = Math.max(SHORTEST_PAUSE_NANOS, (now - quietSince) / PART_OF_THE_WAIT);
                LockSupport.parkNanos(Math.min(LONGEST_PAUSE_NANOS, pause));
            }
        }
        return Optional.ofNullable(received.poll());
    }

    private void look() throws SQLException {
        file.check();
        long current = number("PRAGMA data_version");
        if (current == version) {
            return;
        }
        if (kept >= MOST_KEPT) {
            clear();
        }
        try (PreparedStatement statement = connection.prepareStatement(letters)) {
            statement.setString(1, session);
            statement.setLong(2, last);
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    last = rows.getLong(1);
                    received.add(rows.getString(2));
                    kept++;
                }
            }
        }
        boolean lives = number(living, session) == 1;
        if (lived && !lives) { // the messages that were read with this may be later than the end of the session
            received.clear();
            received.add("x");
        }
        lived = lives;
        version = current;
    }

    private long number(String sql, String... parameters) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setString(i + 1, parameters[i]);
            }
            try (ResultSet row = statement.executeQuery()) {
                return row.next() ? row.getLong(1) : 0;
            }
        }
    }

    private void clear() throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(delivered)) {
            statement.setString(1, session);
            statement.setLong(2, last);
            statement.executeUpdate();
            kept = 0;
        } catch (SQLException failure) {
            if (!Sqlite.isBusy(failure)) {
                throw failure;
            }
            // they are deleted later, when nobody else writes
        }
    }
}
