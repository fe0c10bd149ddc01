package io.wellkeeper.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.postgresql.jdbc.PgConnection;

/**
 * PostgreSQL 14 or later. Several statements in one text travel together. They are one transaction where the text says
 * so: the driver may send each by itself (preferQueryMode=simple).
 */
final class PostgreSql implements Dialect {

    static final String FOLDER = "postgresql";
    private static final int ANSWER_SECONDS = 2;
    private static final int LISTENING_SECONDS = 10; // to a client that is out of reach
    private static final int LEAST_PROBES = 3; // one or two may be lost
    static final long SCHEMA_LOCK = 0x77656c6c6b656570L;

    /**
     * With so many listeners a message makes a removal 2 ms longer; looking every 50 ms makes a hand-over 25 ms longer.
     */
    private static final int LISTENERS = 100;

    /**
     * A connection may go on as another user than the one that logged in, or in another role; those neither see the
     * connections of the user that logged in, nor may they end them. So this goes back to that user until the end of
     * the transaction.
     */
    private static final String AS_LOGGED_IN = "BEGIN; SELECT set_config('session_authorization', usename, true)"
            + " FROM pg_stat_activity WHERE pid = pg_backend_pid() AND usename <> session_user;"
            + " SELECT set_config('role', 'none', true); ";

    private static final int RESULTS_OF_LOGGING_IN = 3;

    private static final Set<String> OWN_SETTINGS = Set.of("synchronous_commit", "fsync", "full_page_writes");

    private final int listeners;

    PostgreSql() {
        this(LISTENERS);
    }

    /**
     * @param listeners how many sessions may listen
     */
    PostgreSql(int listeners) {
        if (listeners < 0) {
            throw new IllegalArgumentException("listeners: fewer than none: " + listeners);
        }
        this.listeners = listeners;
    }

    static int listeners(String number) {
        try {
            return Integer.parseInt(number);
        } catch (NumberFormatException wrong) {
            throw new IllegalArgumentException("listeners: '" + number + "' is no whole number");
        }
    }

    @Override
    public Steps statements(Tables tables) {
        return new PostgreSqlSteps(tables, listeners);
    }

    @Override
    public void createTables(Connection connection, Tables tables) throws SQLException {
        if (Vendor.exist(connection, tables.table("ticket"))) {
            return;
        }
        try (Statement statement = connection.createStatement()) {
            statement.execute(
                    "BEGIN; SELECT set_config(name, '0', true) FROM pg_settings WHERE name = 'transaction_timeout';"
                            + "SELECT pg_advisory_xact_lock(" + SCHEMA_LOCK + ");"
                            + Script.read(FOLDER, "schema.sql", tables) + "; COMMIT");
        }
    }

    /**
     * Makes a connection fit for requests.
     *
     * @param wait for a row, at most
     * @param whole the longest time of a request that was cut off in its midst. Then PostgreSQL 17 or later ends its
     *     transaction; older versions end it when the client's machine has been out of reach as long, and for at least
     *     four seconds
     */
    static void set(Connection connection, Duration wait, Duration whole) throws SQLException {
        connection.setAutoCommit(true);
        try (Statement statement = connection.createStatement()) {
            statement.execute("SELECT pg_backend_pid(); " + settings(wait, whole));
            try (ResultSet process = statement.getResultSet()) {
                process.next();
                setUpDriver(connection, process.getInt(1));
            }
        }
    }

    /**
     * If a connection leads to another process of the server than the driver knows of, there is a pooler between them.
     * A statement that the driver has prepared could be missing there, or be another client's.
     */
    private static void setUpDriver(Connection connection, int process) throws SQLException {
        try {
            if (connection.isWrapperFor(PGConnection.class)) {
                PGConnection driver = connection.unwrap(PGConnection.class);
                if (driver.getBackendPID() != process) {
                    driver.setPrepareThreshold(0);
                }
                // asks for binary at once, which fails for several statements in one text
                if (driver instanceof PgConnection own && own.getPrepareThreshold() < 0) {
                    own.setPrepareThreshold(1);
                    own.setForceBinary(false);
                }
            }
        } catch (NoClassDefFoundError another) {
            // a driver that is not PostgreSQL's own
        }
    }

    private static String settings(Duration wait, Duration whole) {
        long seconds = Math.max(1, whole.toSeconds() / 2);
        return "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL READ COMMITTED, READ WRITE; SET lock_timeout = "
                + wait.toMillis()
                + "; SET statement_timeout = 0; SET idle_session_timeout = 0; " + keepAlive(seconds)
                + "; SELECT set_config(name, '" + whole.toMillis()
                + "', false) FROM pg_settings WHERE name = 'transaction_timeout'";
    }

    /** Has the server end a connection whose client has been out of reach for about twice that long. */
    private static String keepAlive(long seconds) {
        return "SET tcp_keepalives_idle = " + seconds + "; SET tcp_keepalives_interval = 1; SET tcp_keepalives_count = "
                + Math.max(LEAST_PROBES, seconds) + "; SET tcp_user_timeout = "
                + TimeUnit.SECONDS.toMillis(2 * seconds); // no keepalives are sent while something is unacknowledged
    }

    @Override
    public String prepare(Connection connection, Tables tables, String session, Duration patience) throws SQLException {
        set(connection, patience, patience.multipliedBy(2));
        try (Statement statement = connection.createStatement()) {
            statement.execute(AS_LOGGED_IN + "SELECT pg_is_in_recovery(), coalesce(pid || '/' || backend_start, '')"
                    + " FROM pg_stat_activity WHERE pid = pg_backend_pid(); COMMIT");
            for (int before = 1; before <= RESULTS_OF_LOGGING_IN; before++) {
                statement.getMoreResults();
            }
            try (ResultSet row = statement.getResultSet()) {
                if (!row.next()) {
                    throw new SQLException("the server does not know this connection", "08000");
                }
                if (row.getBoolean(1)) {
                    throw new SQLException("the server is a read-only replica", "25006");
                }
                return row.getString(2);
            }
        }
    }

    @Override
    public void end(Connection connection, String lost) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                AS_LOGGED_IN
                        + "SELECT pg_terminate_backend(pid, 1000) FROM pg_stat_activity WHERE pid || '/' || backend_start = ? AND pid <> pg_backend_pid(); COMMIT")) {
            statement.setString(1, lost);
            statement.execute();
        }
    }

    @Override
    public Doorbell listen(Connection connection, Tables tables, String session) throws SQLException {
        connection.setAutoCommit(true);
        try (Statement statement = connection.createStatement()) {
            statement.execute("LISTEN " + tables.channel() + session + "; SET idle_session_timeout = 0; "
                    + keepAlive(LISTENING_SECONDS));
        }
        PGConnection listening = connection.unwrap(PGConnection.class);
        Deque<String> received = new ArrayDeque<>();
        return patience -> {
            if (received.isEmpty()) {
                PGNotification[] messages = listening.getNotifications((int) Math.max(1, patience.toMillis()));
                if (messages == null || messages.length == 0) {
                    if (!connection.isValid(ANSWER_SECONDS)) { // the driver does not notice a dead network by itself
                        throw new SQLException("the server does not answer", "08006");
                    }
                } else {
                    for (PGNotification message : messages) {
                        received.add(message.getParameter());
                    }
                }
            }
            return Optional.ofNullable(received.poll());
        };
    }

    /** A cloud service answers for its disks itself, and may show settings that would be wrong elsewhere. */
    @Override
    public List<String> warnings(Map<String, String> settings) {
        boolean ofService = settings.keySet().stream().anyMatch(name -> !OWN_SETTINGS.contains(name));
        List<String> found = new ArrayList<>();
        if ("off".equals(settings.get("synchronous_commit"))) {
            found.add(
                    "synchronous_commit is off: a lock that was granted just before a crash of the server may be granted"
                            + " to another client when it is back; set it to on for the user of the locks");
        }
        if ("off".equals(settings.get("fsync")) && !ofService) {
            found.add(
                    "fsync is off: when the server's machine crashes, locks that are held may be granted to others, and"
                            + " the database may be damaged; set it to on");
        }
        if ("off".equals(settings.get("full_page_writes")) && !ofService) {
            found.add(
                    "full_page_writes is off: when the server's machine crashes, the database may be damaged, unless its"
                            + " file system writes whole pages; set it to on");
        }
        return found;
    }

    @Override
    public Remedy remedy(SQLException failure) {
        return remedyFor(failure);
    }

    /** As {@link #remedy}, for callers that have no tickets there. */
    static Remedy remedyFor(SQLException failure) {
        String state = failure.getSQLState() == null ? "08000" : failure.getSQLState();
        return switch (state) {
            case "40001", "40P01", "55P03" -> Remedy.REPEAT; // serialisation, deadlock, waited too long for a row
            case "57014" -> Remedy.REPEAT; // an operator has ended the statement, or a limit of the server's
            case "25006", "53300" -> Remedy.RECONNECT; // it has become a replica; too many connections
            case "25P03", "25P04" ->
                Remedy.RECONNECT; // a transaction was idle, or took, too long: its connection was ended
            default ->
                state.startsWith("08") || state.startsWith("57P") || state.startsWith("58")
                        ? Remedy.RECONNECT
                        : Remedy.REPORT;
        };
    }
}
