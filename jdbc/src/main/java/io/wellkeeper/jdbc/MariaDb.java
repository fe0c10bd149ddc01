package io.wellkeeper.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * MariaDB and MySQL. Messages to a session are rows of a table, which its listener reads; between them it waits for a
 * named lock, the anchor, which the session's connection for requests holds. The sender of a message ends that wait. It
 * finds the listener by another named lock, which the listener holds, so that no other connection is ever interrupted.
 */
final class MariaDb implements Dialect {

    static final String FOLDER = "mariadb";

    private static final Duration BETWEEN_MESSAGES = Duration.ofSeconds(1);
    private static final Duration SHORTEST_WAIT = Duration.ofSeconds(1); // for a row; it may last twice as long
    private static final int SECONDS_TO_LET_GO = 2;
    private static final int LISTENING_SECONDS = 30; // of silence; a listener waits for a few seconds at most
    private static final int ALMOST_A_SECOND_MILLIS = 999;
    private static final int NO_SUCH_CONNECTION = 1094;

    /**
     * MariaDB's driver, if it knows several servers, has connected again by itself, and the connection's settings are
     * lost.
     */
    static final String CONNECTED_AGAIN = "25S03";

    private static final Set<String> OFF = Set.of("0", "OFF", "DETECT_ONLY");

    /** Makes transactions read and write, even if the server's default is that they only read. */
    static final String WRITABLE = "SET SESSION TRANSACTION READ WRITE";

    /**
     * Settings that an operator may have made otherwise for a user or for the whole server: they change what statements
     * mean, leave rows out, begin a transaction behind each one, or end statements before they have waited for a row.
     * Only MariaDB reads the first comment, and only MySQL the second.
     */
    static final String USUAL = "SET SESSION sql_mode = 'STRICT_ALL_TABLES', completion_type = 0,"
            + " sql_select_limit = 18446744073709551615, sql_big_selects = 1"
            + "/*M! , max_statement_time = 0 */ /*!50708 , max_execution_time = 0 */";

    private final MariaDbSeen seen = new MariaDbSeen();

    @Override
    public Steps statements(Tables tables) {
        return new MariaDbSteps(tables, seen);
    }

    @Override
    public void createTables(Connection connection, Tables tables) throws SQLException {
        // the server refuses CREATE TABLE IF NOT EXISTS to a user that may not make tables, even if the table is there
        if (Vendor.exist(
                connection,
                tables.table("session"),
                tables.table("lock"),
                tables.table("ticket"),
                tables.table("inbox"))) {
            return;
        }
        for (String statement : Script.read(FOLDER, "schema.sql", tables).split(Script.END_OF_STATEMENT)) {
            try (Statement creation = connection.createStatement()) {
                creation.execute(statement);
            }
        }
    }

    /** The named lock that the connection for requests holds, and that the listener waits for. */
    static String anchor(Tables tables, String session) {
        return tables.channel() + session;
    }

    /** The named lock that the listener holds. */
    static String bell(Tables tables, String session) {
        return tables.channel() + session + ".bell";
    }

    /**
     * Returns no name for the connection: this finds a lost predecessor by the named lock that it holds, and ends it.
     */
    @Override
    public String prepare(Connection connection, Tables tables, String session, Duration patience) throws SQLException {
        set(connection, Connection.TRANSACTION_READ_COMMITTED);
        waitForRows(connection, patience);
        limitSilence(connection, patience);
        Object readOnly = value(connection, "SELECT CAST(@@global.read_only AS CHAR)");
        if (!"0".equals(readOnly) && !"OFF".equals(readOnly)) {
            throw new SQLException("the server is a read-only replica", "25006");
        }
        seize(connection, anchor(tables, session), bell(tables, session));
        limitStatements(connection, patience);
        return "";
    }

    @Override
    public void end(Connection connection, String lost) {}

    private static void waitForRows(Connection connection, Duration patience) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET SESSION innodb_lock_wait_timeout = " + Math.max(1, patience.toSeconds()));
        }
    }

    /**
     * A wait for a row cannot be set shorter than a second or two. The driver waits for an answer twice as long as the
     * patience for a row. If that is shorter still, MariaDB is made to end each statement before: otherwise the client
     * would have to connect again each time, which keeps heartbeats waiting. MySQL can do so for queries only.
     */
    private static void limitStatements(Connection connection, Duration patience) throws SQLException {
        if (patience.compareTo(SHORTEST_WAIT) >= 0 || Vendor.of(connection) != Vendor.MARIADB) {
            return;
        }
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET SESSION max_statement_time = " + patience.toMillis() * 1.5 / 1_000);
        }
    }

    /**
     * The server ends the connection of a client that is out of reach; a session that sends heartbeats is never silent
     * so long. Where the server can do so, it first ends a transaction that the client is in the midst of, and with it
     * the locks on rows.
     */
    private static void limitSilence(Connection connection, Duration patience) throws SQLException {
        limitSilence(
                connection,
                patience.multipliedBy(4).plusMillis(ALMOST_A_SECOND_MILLIS).toSeconds());
        if (Vendor.of(connection) == Vendor.MARIADB) {
            try (Statement statement = connection.createStatement()) {
                statement.execute("SET SESSION idle_transaction_timeout = "
                        + Math.max(1, patience.multipliedBy(2).toSeconds()));
            }
        }
    }

    private static void limitSilence(Connection connection, long seconds) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET SESSION wait_timeout = " + seconds);
        }
    }

    private static void set(Connection connection, int isolation) throws SQLException {
        connection.setAutoCommit(true);
        connection.setReadOnly(false);
        connection.setTransactionIsolation(isolation);
        try (Statement statement = connection.createStatement()) {
            statement.execute(WRITABLE);
            statement.execute(USUAL);
        }
    }

    /**
     * Takes a named lock away from a lost connection that still holds it. Once the lock is had, that connection does
     * nothing more.
     *
     * @param spared a connection that holds this lock is not ended: it lets go of the other one soon
     */
    private static void seize(Connection connection, String lock, String spared) throws SQLException {
        Object holder = value(connection, "SELECT NULLIF(IS_USED_LOCK(?), COALESCE(IS_USED_LOCK(?), 0))", lock, spared);
        if (holder instanceof Number) {
            kill(connection, "KILL CONNECTION " + holder);
        }
        Object got = value(connection, "SELECT GET_LOCK(?, " + SECONDS_TO_LET_GO + ")", lock);
        if (!(got instanceof Number) || ((Number) got).intValue() != 1) {
            throw new SQLException("the server has not ended a lost connection yet", "08006");
        }
    }

    /** The single value that a query returns. */
    static @Nullable Object value(Connection connection, String sql, String... parameters) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setString(i + 1, parameters[i]);
            }
            try (ResultSet row = statement.executeQuery()) {
                return row.next() ? row.getObject(1) : null;
            }
        }
    }

    private static void kill(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException failure) {
            if (failure.getErrorCode() != NO_SUCH_CONNECTION) {
                throw failure;
            }
        }
    }

    @Override
    public Doorbell listen(Connection connection, Tables tables, String session) throws SQLException {
        set(connection, Connection.TRANSACTION_READ_UNCOMMITTED); // letters.sql says why
        waitForRows(connection, BETWEEN_MESSAGES);
        limitSilence(connection, LISTENING_SECONDS);
        seize(connection, bell(tables, session), "");
        MariaDbDoorbell listener = new MariaDbDoorbell(connection, tables, session, seen);
        listener.begin();
        return listener;
    }

    /** A setting that the server does not show counts as correct. */
    @Override
    public List<String> warnings(Map<String, String> settings) {
        List<String> found = new ArrayList<>();
        String flush = settings.getOrDefault("innodb_flush_log_at_trx_commit", "1");
        if (!flush.equals("1")) {
            found.add("innodb_flush_log_at_trx_commit is " + flush
                    + ": a lock that was granted in the last second before a"
                    + " crash may be granted to another client when the server is back; set it to 1");
        }
        String binlog = settings.getOrDefault("sync_binlog", "1");
        if (!OFF.contains(settings.getOrDefault("log_bin", "0")) && !binlog.equals("1")) {
            found.add(
                    "sync_binlog is " + binlog
                            + " and there is a binary log: when the server's machine crashes, what it has"
                            + " lost of that is rolled back, and a lock that was granted may be granted to another client; set it to 1");
        }
        if (OFF.contains(settings.getOrDefault("innodb_doublewrite", "1")) && !isService(settings)) {
            found.add(
                    "innodb_doublewrite is off: when the server's machine crashes, the database may be damaged, unless its"
                            + " file system or device writes whole pages; set it to ON");
        }
        return found;
    }

    /**
     * Whether a cloud service runs the server: it answers for its disks itself, and may show settings that would be
     * wrong elsewhere.
     */
    private static boolean isService(Map<String, String> settings) {
        String comment = settings.getOrDefault("version_comment", "");
        return settings.getOrDefault("basedir", "").startsWith("/rdsdbbin")
                || comment.contains("Google")
                || comment.contains("Azure");
    }

    @Override
    public Remedy remedy(SQLException failure) {
        return remedyFor(failure);
    }

    /** As {@link #remedy}, for callers that have no tickets there. */
    static Remedy remedyFor(SQLException failure) {
        return switch (failure.getErrorCode()) {
            case 1205, 1213, 3101 -> Remedy.REPEAT; // waited too long for a row, deadlock, refused by group replication
            case 1317, 1969, 3024 -> Remedy.REPEAT; // an operator has ended the statement, or a limit of the server's
            case 1290, 1792, 1836 -> Remedy.RECONNECT; // it has become a replica
            case 1040, 1203, 1226 -> Remedy.RECONNECT; // too many connections
            case 1064 ->
                Remedy.RECONNECT_ONCE; // a table may have been altered; then the prepared statements are of no use
            case 1053, 1152, 1158, 1159, 1160, 1161, 1184, 1927, 4031 ->
                Remedy.RECONNECT; // the server shuts down, or has hung up
            default -> isBroken(failure.getSQLState()) ? Remedy.RECONNECT : Remedy.REPORT;
        };
    }

    private static boolean isBroken(@Nullable String state) {
        return state == null || state.startsWith("08") || state.equals(CONNECTED_AGAIN);
    }
}
