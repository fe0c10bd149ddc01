package io.wellkeeper.jdbc;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/**
 * SQLite 3.42 or later, in one file. One process at a time writes; others read meanwhile, as the write-ahead log lets
 * them. Nobody rings: a client that waits for a message looks whether the file has changed.
 */
final class Sqlite implements Dialect {

    static final String FOLDER = "sqlite";

    private static final Duration PATIENCE = Duration.ofSeconds(5);
    /** How long each attempt waits for other clients that write. */
    static final Duration TURN = Duration.ofMillis(400);

    private static final long SHORTEST_PAUSE_NANOS = 50_000;
    private static final long LONGEST_PAUSE_NANOS = 2_000_000;
    private static final int BUSY = 5;
    private static final int PRIMARY = 0xff; // of an error code; the rest says more of it

    @Override
    public Steps statements(Tables tables) {
        return new SqliteSteps(tables);
    }

    /** The mode of the log stays with the file. */
    @Override
    public void createTables(Connection connection, Tables tables) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("PRAGMA busy_timeout = " + PATIENCE.toMillis());
            try (ResultSet mode = statement.executeQuery("PRAGMA journal_mode = WAL")) {
                if (!mode.next() || !mode.getString(1).equals("wal")) {
                    throw new SQLException("the database is not a file, or its file system has no shared memory");
                }
            }
            statement.execute("BEGIN IMMEDIATE");
            for (String each : Script.read(FOLDER, "schema.sql", tables).split(Script.END_OF_STATEMENT)) {
                statement.execute(each);
            }
            statement.execute("COMMIT");
            statement.execute("PRAGMA busy_timeout = 0"); // because inTurn waits instead
        }
    }

    @Override
    public String prepare(Connection connection, Tables tables, String session, Duration patience) throws SQLException {
        connection.setAutoCommit(true);
        SqliteFile.of(connection); // before it reads anything of a log to which its index does not belong
        if (!Vendor.exist(connection, tables.table("inbox"))) { // the file may have been replaced by now
            createTables(connection, tables);
        }
        try (Statement statement = connection.createStatement()) {
            statement.execute("PRAGMA busy_timeout = 0");
        }
        return "";
    }

    /** Nothing is carried out for a connection that was closed. */
    @Override
    public void end(Connection connection, String lost) {}

    @Override
    public Doorbell listen(Connection connection, Tables tables, String session) throws SQLException {
        prepare(connection, tables, session, PATIENCE);
        return new SqliteDoorbell(connection, tables, session);
    }

    @Override
    public List<String> warnings(Map<String, String> settings) {
        return "0".equals(settings.get("synchronous"))
                ? List.of(
                        "synchronous is OFF: when the machine crashes or loses power, the file may be damaged; set it to"
                                + " NORMAL, or to FULL if locks shall survive that")
                : List.of();
    }

    @Override
    public Remedy remedy(SQLException failure) {
        return switch (failure.getErrorCode() & PRIMARY) {
            case BUSY, 6 -> Remedy.REPEAT; // somebody else writes
            case 0, 7, 10, 14, 15 -> Remedy.RECONNECT; // closed; no memory or file, or trouble with them or the disk
            default -> Remedy.REPORT;
        };
    }

    /** Something that is carried out or not. */
    interface Work<T> {
        T run() throws SQLException;
    }

    /**
     * Carries out work that has to write, and waits for other writers if need be. SQLite's own pauses are so long that
     * a client misses its turn where others write often.
     */
    static <T> T inTurn(Work<T> work) throws SQLException {
        long end = System.nanoTime() + TURN.toNanos();
        for (long pause = SHORTEST_PAUSE_NANOS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_NANOS)) {
            try {
                return work.run();
            } catch (SQLException failure) {
                if (!isBusy(failure) || System.nanoTime() - end > 0) {
                    throw failure;
                }
            }
            LockSupport.parkNanos(pause);
        }
    }

    static boolean isBusy(SQLException failure) {
        return (failure.getErrorCode() & PRIMARY) == BUSY;
    }
}
