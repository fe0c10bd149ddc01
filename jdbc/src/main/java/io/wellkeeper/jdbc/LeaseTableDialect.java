package io.wellkeeper.jdbc;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;

/** What differs between databases for the stores of leases. */
enum LeaseTableDialect {
    /** 14 or later. */
    POSTGRESQL(Duration.ofMillis(300), List.of()),
    /** MariaDB and MySQL. They return a number as the generated key. */
    MARIADB(
            Duration.ofMillis(1200),
            List.of(
                    "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED",
                    MariaDb.WRITABLE,
                    MariaDb.USUAL,
                    "SET SESSION innodb_lock_wait_timeout = 1")),
    /** 3.42 or later. */
    SQLITE(Sqlite.TURN.plusMillis(100), List.of("PRAGMA busy_timeout = 20")); // within Sqlite.inTurn

    private static final Duration PATIENCE = Duration.ofMillis(200); // with a row
    private static final int BUSY = 5; // of SQLite, in the lowest byte
    private static final int LOWEST_BYTE = 0xff;
    private static final int MOST_DIGITS = 6; // behind the second
    private static final String TYPE = "SELECT CASE WHEN atttypmod < 0 THEN " + MOST_DIGITS + " ELSE atttypmod END"
            + " FROM pg_attribute WHERE attrelid = to_regclass(?) AND attname = lower(?)";
    private static final String PRECISION = "SELECT datetime_precision FROM information_schema.columns"
            + " WHERE table_schema = COALESCE(NULLIF(?, ''), DATABASE()) AND table_name = ? AND column_name = ?"
            + " AND datetime_precision IS NOT NULL";

    private final long longestWaitNanos;
    private final List<String> settings;

    LeaseTableDialect(Duration longestWait, List<String> settings) {
        this.longestWaitNanos = longestWait.toNanos();
        this.settings = settings;
    }

    /** The longest time that a request waits for its row and its answer. */
    long longestWaitNanos() {
        return longestWaitNanos;
    }

    /** The dialect of the server that a connection leads to. */
    static LeaseTableDialect of(Connection connection) throws SQLException {
        String product = connection.getMetaData().getDatabaseProductName();
        return switch (product) {
            case "PostgreSQL" -> POSTGRESQL;
            case "MariaDB", "MySQL" -> MARIADB;
            case "SQLite" -> SQLITE;
            default -> throw new SQLException("this store does not know the database " + product, "0A000");
        };
    }

    /** The folder of its statements. */
    String folder() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Makes a new connection fit for requests. */
    void prepare(Connection connection) throws SQLException {
        if (this == POSTGRESQL) {
            PostgreSql.set(connection, PATIENCE, PATIENCE.multipliedBy(10));
            return;
        }
        connection.setAutoCommit(true);
        try (Statement statement = connection.createStatement()) {
            for (String setting : settings) {
                statement.execute(setting);
            }
        }
    }

    /** Says how long the network may be silent. */
    void limit(Connection connection, Duration patience) throws SQLException {
        if (this != SQLITE) {
            connection.setNetworkTimeout(Runnable::run, (int) Math.max(1, patience.toMillis()));
        }
    }

    /**
     * The statement, made to give up waiting for its row after a fifth of a second, where the text has to say so:
     * MariaDB reads the comment.
     */
    String briefly(String sql) {
        return this == MARIADB ? "/*M! SET STATEMENT max_statement_time = 0.2 FOR */ " + sql : sql;
    }

    /** Prepares the one statement whose number matters. */
    PreparedStatement prepare(Connection connection, String sql, boolean asksForNumber) throws SQLException {
        return asksForNumber && this == MARIADB
                ? connection.prepareStatement(sql, Statement.RETURN_GENERATED_KEYS)
                : connection.prepareStatement(sql);
    }

    /** Whether a connection carries any text to a table of text; drivers send all statements in one character set. */
    boolean carriesAnyText(Connection connection) throws SQLException {
        if (this != MARIADB) {
            return true;
        }
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT @@character_set_client")) {
            return row.next() && "utf8mb4".equals(row.getString(1));
        }
    }

    /**
     * How many digits behind the second a column of times keeps; as many as there can be if there is no such column.
     */
    int digits(Connection connection, String table, String column) throws SQLException {
        int dot = table.indexOf('.');
        List<String> parameters = this == POSTGRESQL
                ? List.of(table, column)
                : List.of(table.substring(0, Math.max(0, dot)), table.substring(dot + 1), column);
        try (PreparedStatement statement = connection.prepareStatement(this == POSTGRESQL ? TYPE : PRECISION)) {
            for (int i = 0; i < parameters.size(); i++) {
                statement.setString(i + 1, parameters.get(i));
            }
            try (ResultSet row = statement.executeQuery()) {
                return row.next() ? row.getInt(1) : MOST_DIGITS;
            }
        }
    }

    /**
     * Refuses a text that does not arrive as it is.
     *
     * @throws SQLException that says why
     */
    static void checkCarried(Connection connection, String text) throws SQLException {
        String utf8 = HexFormat.of().withUpperCase().formatHex(text.getBytes(StandardCharsets.UTF_8));
        try (PreparedStatement statement = connection.prepareStatement("SELECT HEX(CONVERT(? USING utf8mb4))")) {
            statement.setString(1, text);
            try (ResultSet row = statement.executeQuery()) {
                if (!row.next() || !utf8.equals(row.getString(1))) {
                    throw new SQLException(
                            "the character set of the connection has no '" + text
                                    + "'; set up the driver to send UTF-8 (characterEncoding=UTF-8)",
                            "22018");
                }
            }
        }
    }

    /** Whether a statement was not carried out, and the next attempt may succeed. */
    boolean mayRepeat(SQLException failure) {
        return switch (this) {
            case POSTGRESQL -> PostgreSql.remedyFor(failure) == Dialect.Remedy.REPEAT;
            case MARIADB -> MariaDb.remedyFor(failure) == Dialect.Remedy.REPEAT;
            case SQLITE -> (failure.getErrorCode() & LOWEST_BYTE) == BUSY;
        };
    }
}
