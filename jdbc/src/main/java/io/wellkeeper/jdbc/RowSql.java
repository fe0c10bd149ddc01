package io.wellkeeper.jdbc;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Locks rows by their names. Immutable. */
final class RowSql {

    private static final Duration FIRST_PAUSE = Duration.ofMillis(2);
    private static final Duration LONGEST_PAUSE = Duration.ofMillis(20);
    private static final int SERVER_SECONDS = 2; // for a shorter wait the statement is repeated without waiting

    private final String table;
    private final Duration idle; // zero: as long as the server allows

    RowSql(Tables tables) {
        this(tables.table("row"), Duration.ZERO);
    }

    private RowSql(String table, Duration idle) {
        this.table = table;
        this.idle = idle;
    }

    String table() {
        return table;
    }

    RowSql idleAtMost(Duration time) {
        return new RowSql(table, time);
    }

    String schema(Vendor vendor) {
        if (vendor == Vendor.SQLITE) {
            throw new UnsupportedOperationException("SQLite locks no rows, only the whole file");
        }
        return "CREATE TABLE IF NOT EXISTS " + table + " (name " + vendor.nameType()
                + " NOT NULL PRIMARY KEY, token bigint NOT NULL)" + vendor.tableOptions();
    }

    /** Makes the table if it is not there. */
    void createTable(Connection connection) throws SQLException {
        Vendor.createTable(connection, table, schema(Vendor.of(connection)));
    }

    /** Makes the row of a name, unless it is there. On a connection that commits by itself. */
    void create(Connection connection, String name) throws SQLException {
        Vendor vendor = Vendor.of(connection);
        try (PreparedStatement look = connection.prepareStatement("SELECT 1 FROM " + table + " WHERE name = ?")) {
            bind(vendor, look, 1, name);
            try (ResultSet row = look.executeQuery()) {
                if (row.next()) {
                    return;
                }
            }
        }
        String otherwise = vendor.isInnoDb() ? " ON DUPLICATE KEY UPDATE token = token" : " ON CONFLICT DO NOTHING";
        String sql = "INSERT INTO " + table + " (name, token) VALUES (?, 0)" + otherwise;
        boolean shorten = vendor.isInnoDb(); // the one that has made the row meanwhile may have locked it too
        try (PreparedStatement insert = connection.prepareStatement(sql)) {
            bind(vendor, insert, 1, name);
            if (shorten) {
                limitWait(connection, 1);
            }
            insert.execute();
        } catch (SQLException failed) {
            if (!vendor.isTimeout(failed)) {
                throw failed;
            }
        } finally {
            if (shorten) {
                restoreWait(connection);
            }
        }
    }

    /**
     * Locks the rows of these names in their order, and raises their tokens. If the deadline passes first, those that
     * were locked already are free again in PostgreSQL; elsewhere when the transaction ends.
     *
     * @param savepoint whether the transaction must go on if this does not succeed
     * @return the tokens; empty if the deadline has passed first
     */
    Optional<Map<String, Long>> lock(Connection connection, List<String> names, Deadline deadline, boolean savepoint)
            throws SQLException {
        return switch (Vendor.of(connection)) {
            case POSTGRESQL -> lockInPostgres(connection, names, deadline, savepoint);
            case MYSQL, MARIADB -> lockInMysql(connection, names, deadline);
            case SQLITE -> throw new UnsupportedOperationException("SQLite locks no rows, only the whole file");
        };
    }

    /** Locks all rows by one text of statements: the server reckons the time that is left for each row. */
    private Optional<Map<String, Long>> lockInPostgres(
            Connection connection, List<String> names, Deadline deadline, boolean savepoint) throws SQLException {
        String millis = "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint)";
        StringBuilder sql = new StringBuilder();
        sql.append(savepoint ? "SAVEPOINT wellkeeper; " : "SET TRANSACTION ISOLATION LEVEL READ COMMITTED; ")
                .append(
                        savepoint || idle.isZero()
                                ? ""
                                : "SELECT set_config('idle_in_transaction_session_timeout', '" + idle.toMillis()
                                        + "', true); ")
                .append("SELECT set_config('wellkeeper.lock_timeout', current_setting('lock_timeout'), true),"
                        + " set_config('wellkeeper.statement_timeout', current_setting('statement_timeout'), true),"
                        + " set_config('statement_timeout', '0', true), set_config('wellkeeper.until', CAST(" + millis
                        + " + ? AS text), true); ");
        for (int i = 0; i < names.size(); i++) {
            sql.append("SELECT set_config('lock_timeout', CAST(greatest(1,"
                    + " CAST(current_setting('wellkeeper.until') AS bigint) - " + millis + ") AS text), true); "
                    + "UPDATE " + table + " SET token = greatest(token + 1, " + Vendor.POSTGRESQL.micros()
                    + ") WHERE name = ? RETURNING name, token; ");
        }
        sql.append("SELECT set_config('lock_timeout', current_setting('wellkeeper.lock_timeout'), true),"
                        + " set_config('statement_timeout', current_setting('wellkeeper.statement_timeout'), true)")
                .append(savepoint ? "; RELEASE SAVEPOINT wellkeeper" : "");
        try (PreparedStatement statement = connection.prepareStatement(sql.toString())) {
            statement.setLong(1, deadline.remaining().toMillis());
            for (int i = 0; i < names.size(); i++) {
                statement.setString(i + 2, names.get(i));
            }
            Map<String, Long> tokens = new TreeMap<>();
            boolean rows = statement.execute();
            while (rows || statement.getUpdateCount() >= 0) {
                if (rows) {
                    readTokens(statement, tokens);
                }
                rows = statement.getMoreResults();
            }
            for (String name : names) {
                if (!tokens.containsKey(name)) {
                    throw missing(name);
                }
            }
            return Optional.of(tokens);
        } catch (SQLException failed) {
            if (!Vendor.POSTGRESQL.isTimeout(failed)) {
                throw failed;
            }
            if (savepoint) {
                execute(connection, "ROLLBACK TO SAVEPOINT wellkeeper; RELEASE SAVEPOINT wellkeeper");
            }
            return Optional.empty();
        }
    }

    private static void readTokens(Statement statement, Map<String, Long> tokens) throws SQLException {
        try (ResultSet result = statement.getResultSet()) {
            if (result.getMetaData().getColumnName(1).equals("name")) {
                while (result.next()) {
                    tokens.put(result.getString(1), result.getLong(2));
                }
            }
        }
    }

    private Optional<Map<String, Long>> lockInMysql(Connection connection, List<String> names, Deadline deadline)
            throws SQLException {
        Map<String, Long> tokens = new TreeMap<>();
        for (String name : names) {
            Optional<Long> token = lockInMysql(connection, name, deadline);
            if (token.isEmpty()) {
                return Optional.empty();
            }
            tokens.put(name, token.get());
        }
        return Optional.of(tokens);
    }

    /**
     * The server's own deadline is in whole seconds, and may be late by one; the rest is waited for by asking again.
     */
    private Optional<Long> lockInMysql(Connection connection, String name, Deadline deadline) throws SQLException {
        Pause pause = new Pause(FIRST_PAUSE, LONGEST_PAUSE);
        while (true) {
            Optional<Long> token = raise(connection, name, " SKIP LOCKED");
            if (token.isPresent() || deadline.hasPassed()) {
                return token;
            }
            long seconds = deadline.remaining().toSeconds();
            if (seconds < SERVER_SECONDS) {
                pause.take(deadline);
                continue;
            }
            limitWait(connection, seconds - 1);
            try {
                return Optional.of(raise(connection, name, "").orElseThrow(() -> missing(name)));
            } catch (SQLException failed) {
                if (!Vendor.MYSQL.isTimeout(failed)) {
                    throw failed;
                }
            } finally {
                restoreWait(connection);
            }
        }
    }

    private Optional<Long> raise(Connection connection, String name, String how) throws SQLException {
        String select = "SELECT greatest(token + 1, " + Vendor.MYSQL.micros() + ") FROM " + table
                + " WHERE name = ? FOR UPDATE" + how;
        long token;
        try (PreparedStatement statement = connection.prepareStatement(select)) {
            bind(Vendor.MYSQL, statement, 1, name);
            try (ResultSet row = statement.executeQuery()) {
                if (!row.next()) {
                    return Optional.empty();
                }
                token = row.getLong(1);
            }
        }
        String update = "UPDATE " + table + " SET token = ? WHERE name = ?";
        try (PreparedStatement statement = connection.prepareStatement(update)) {
            statement.setLong(1, token);
            bind(Vendor.MYSQL, statement, 2, name);
            statement.executeUpdate();
        }
        return Optional.of(token);
    }

    /**
     * Whether the rows have these tokens: so they have for the transaction that raised them, until it is rolled back.
     */
    boolean has(Connection connection, Map<String, Long> tokens) throws SQLException {
        Vendor vendor = Vendor.of(connection);
        String sql = "SELECT count(*) FROM " + table + " WHERE "
                + String.join(" OR ", Collections.nCopies(tokens.size(), "(name = ? AND token = ?)"));
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            int index = 0;
            for (Map.Entry<String, Long> each : tokens.entrySet()) {
                bind(vendor, statement, ++index, each.getKey());
                statement.setLong(++index, each.getValue());
            }
            try (ResultSet row = statement.executeQuery()) {
                return row.next() && row.getLong(1) == tokens.size();
            }
        }
    }

    private SQLException missing(String name) {
        return new SQLException(
                "the row '" + name + "' of " + table + " was deleted, or cannot be seen by this transaction");
    }

    /**
     * Makes the server end a connection that has fallen silent; for PostgreSQL this is part of the other statements.
     */
    void limitIdle(Connection connection) throws SQLException {
        if (limitsIdleByHand(connection)) {
            execute(
                    connection,
                    "SET @wellkeeper_idle = @@SESSION.wait_timeout, SESSION wait_timeout = "
                            + Math.max(1, idle.plusMillis(999).toSeconds()));
        }
    }

    /** Undoes {@link #limitIdle}; does nothing if that has done nothing. */
    void restoreIdle(Connection connection) throws SQLException {
        if (limitsIdleByHand(connection)) {
            execute(
                    connection,
                    "SET SESSION wait_timeout = CAST(coalesce(@wellkeeper_idle, @@SESSION.wait_timeout) AS unsigned)");
        }
    }

    private boolean limitsIdleByHand(Connection connection) throws SQLException {
        return !idle.isZero() && Vendor.of(connection).isInnoDb();
    }

    /**
     * Limits the wait for a row; takes away any limit for the time of a statement, by a comment that only MariaDB
     * reads.
     */
    private static void limitWait(Connection connection, long seconds) throws SQLException {
        execute(
                connection,
                "SET @wellkeeper_wait = @@SESSION.innodb_lock_wait_timeout, SESSION innodb_lock_wait_timeout = "
                        + seconds
                        + "/*M! , @wellkeeper_time = @@SESSION.max_statement_time, SESSION max_statement_time = 0 */");
    }

    private static void restoreWait(Connection connection) throws SQLException {
        execute(
                connection,
                "SET SESSION innodb_lock_wait_timeout = @wellkeeper_wait"
                        + "/*M! , SESSION max_statement_time = @wellkeeper_time */");
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static void bind(Vendor vendor, PreparedStatement statement, int index, String name) throws SQLException {
        if (vendor.isInnoDb()) {
            statement.setBytes(index, name.getBytes(StandardCharsets.UTF_8));
        } else {
            statement.setString(index, name);
        }
    }
}
