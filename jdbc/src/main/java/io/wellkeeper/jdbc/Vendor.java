package io.wellkeeper.jdbc;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;

/** The product whose SQL a connection speaks. */
enum Vendor {
    POSTGRESQL,
    /** 8.0 or later. */
    MYSQL,
    /** 10.6 or later. */
    MARIADB,
    /** SQLite 3.35 or later. */
    SQLITE;

    private static final String REPLAY = "transactionReplay=true";
    private static final int DEADLOCK = 1213;
    private static final int ROLLED_BACK = 3101; // by MySQL's group replication
    private static final int LOCK_TIMEOUT = 1205;
    private static final int RECORD_CHANGED = 1020; // since MariaDB's snapshot; the transaction was rolled back

    /**
     * The vendor of a connection's server. Takes no round trip, because the drivers know it.
     *
     * @throws SQLException also if MariaDB's driver repeats the statements of a lost transaction on another connection, where
     *     nobody looks at their answers
     */
    static Vendor of(Connection connection) throws SQLException {
        DatabaseMetaData server = connection.getMetaData();
        if (String.valueOf(server.getURL()).contains(REPLAY)) {
            throw new SQLException(
                    "the driver has the option " + REPLAY
                            + ": it repeats the statements of a lost transaction on another"
                            + " connection, where nobody looks at what they answer; take it away",
                    "0A000");
        }
        Vendor vendor = of(server.getDatabaseProductName());
        // MySQL's driver takes MariaDB for MySQL, but shows its version
        return vendor == MYSQL && server.getDatabaseProductVersion().contains("MariaDB") ? MARIADB : vendor;
    }

    static Vendor of(String product) {
        return switch (product.toLowerCase(Locale.ROOT)) {
            case "postgresql" -> POSTGRESQL;
            case "mysql" -> MYSQL;
            case "mariadb" -> MARIADB;
            case "sqlite" -> SQLITE;
            default ->
                throw new IllegalArgumentException(
                        "no SQL is known here for '" + product + "'; only for PostgreSQL, MySQL, MariaDB and SQLite");
        };
    }

    /** Whether the database locks rows as InnoDB does. */
    boolean isInnoDb() {
        return this == MYSQL || this == MARIADB;
    }

    /** An expression for the isolation level of InnoDB's session. */
    String isolation() {
        return this == MYSQL ? "@@transaction_isolation" : "@@tx_isolation"; // MariaDB before 11.1 has no other
    }

    /**
     * The end of a query that locks the rows it reads against changes, and leaves out rows that others are changing.
     */
    String unchanging() {
        return switch (this) {
            case POSTGRESQL, MYSQL -> " FOR SHARE SKIP LOCKED";
            case MARIADB -> " LOCK IN SHARE MODE SKIP LOCKED";
            case SQLITE -> ""; // a transaction sees one state
        };
    }

    /** Whether these tables are there; one round trip, for which the user needs only the right to read them. */
    static boolean exist(Connection connection, String... tables) throws SQLException {
        try (var statement = connection.createStatement()) {
            statement.execute("SELECT 1 FROM " + String.join(", ", tables) + " LIMIT 0");
            return true;
        } catch (SQLException failure) {
            if (isTableMissing(failure)) {
                return false;
            }
            throw failure;
        }
    }

    /** Whether there is no such table. */
    static boolean isTableMissing(SQLException failure) {
        return List.of("42P01", "42S02").contains(String.valueOf(failure.getSQLState()))
                || String.valueOf(failure.getMessage()).contains("no such table"); // SQLite's
    }

    /** Makes a table, unless it is there; several processes may do so at once. */
    static void createTable(Connection connection, String table, String ddl) throws SQLException {
        if (!connection.getAutoCommit()) {
            throw new IllegalStateException("a table is made on a connection of its own, not within a transaction");
        }
        if (exist(connection, table)) {
            return;
        }
        // in PostgreSQL one of two clients that make the same table at once would fail, so they take turns by an
        // advisory
        // lock; the two statements are one transaction
        String alone =
                of(connection) == POSTGRESQL ? "SELECT pg_advisory_xact_lock(" + PostgreSql.SCHEMA_LOCK + ");" : "";
        try (var statement = connection.createStatement()) {
            statement.execute(alone + ddl);
        }
    }

    /** The type of a column for names, which are compared byte by byte. */
    String nameType() {
        return switch (this) {
            case POSTGRESQL -> "text COLLATE \"C\"";
            case MYSQL, MARIADB -> "varbinary(512)"; // every collation that both know ignores blanks at the end
            case SQLITE -> "text";
        };
    }

    /** The options behind the columns of a table in the statement that makes it. */
    String tableOptions() {
        return switch (this) {
            case POSTGRESQL -> " WITH (fillfactor = 50)";
            case MYSQL, MARIADB -> " ENGINE = InnoDB";
            case SQLITE -> "";
        };
    }

    /**
     * The database's clock in microseconds, at this moment and not at the beginning of the transaction. MySQL and
     * MariaDB give this moment only in the connection's time zone, where an hour may come twice. So the expression uses
     * it only for the time that the statement has taken, and adds that to the statement's beginning in UTC.
     */
    String micros() {
        return switch (this) {
            case POSTGRESQL -> "CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS bigint)";
            case MYSQL, MARIADB ->
                "timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6))"
                        + " + greatest(0, timestampdiff(MICROSECOND, now(6), sysdate(6)))";
            case SQLITE -> "CAST(unixepoch('subsec') * 1000000 AS integer)";
        };
    }

    /** Whether a statement failed because its longest time to wait for a row was over. */
    boolean isTimeout(SQLException failure) {
        return this == POSTGRESQL ? "55P03".equals(failure.getSQLState()) : failure.getErrorCode() == LOCK_TIMEOUT;
    }

    /** Whether a transaction failed only because of another transaction at the same time. */
    boolean isConflict(SQLException failure) {
        return switch (this) {
            case POSTGRESQL -> "40001".equals(failure.getSQLState()) || "40P01".equals(failure.getSQLState());
            case MYSQL, MARIADB ->
                "40001".equals(failure.getSQLState())
                        || failure.getErrorCode() == DEADLOCK
                        || failure.getErrorCode() == ROLLED_BACK
                        || failure.getErrorCode() == RECORD_CHANGED;
            case SQLITE -> (failure.getErrorCode() & 0xff) == 5; // SQLITE_BUSY
        };
    }
}
