package io.wellkeeper.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.util.NoSuchElementException;
import java.util.OptionalLong;
import java.util.concurrent.locks.Lock;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Optimistic locking of rows of a table of yours by a version column, in the spirit of
 * {@link java.util.concurrent.locks.StampedLock}: no transaction waits for another, but for its commit (see Cost). A
 * transaction that was overtaken notices it before it overwrites anything, and is tried again. This is the right choice
 * when conflicts are rare. The version is a stamp.
 *
 * <pre>{@code
 * OptimisticLock carts = OptimisticLock.on(source, "cart", "id", "version");
 * Cart cart = carts.update(7, RetryPolicy.standard(), (connection, version) -> {
 *     Cart changed = read(connection, 7).with(item);
 *     write(connection, changed);                       // not the version: that is advanced afterwards
 *     return changed;
 * });
 * }</pre>
 *
 * <p><b>Guarantees.</b> {@link #advance} is a compare-and-set, {@code UPDATE .. SET version = version + 1 WHERE id = ?
 * AND version = ?}: of all transactions that read one version of a row, one commits. That holds for all writers that
 * advance the version when they write; a write that does not advance it is not noticed. A row that is deleted and made
 * again must not begin with a version it had before.
 *
 * <p><b>Isolation.</b> Any level is allowed, except READ UNCOMMITTED in MySQL, MariaDB and SQLite. That one is refused
 * because a transaction could change what was never committed, and a version that was rolled back may come again. In
 * MySQL and MariaDB the compare-and-set sees what others have committed also at REPEATABLE READ. Some databases end the
 * transaction with a failure instead of a {@link StaleVersionException}, or instead of an answer to {@link #validate}:
 * PostgreSQL at REPEATABLE READ (SQLState 40001), MariaDB at that level with {@code innodb_snapshot_isolation}, its
 * default from 11.6.2 on (error 1020), and SQLite ({@code SQLITE_BUSY}). {@link #update} treats both alike.
 *
 * <p><b>Cost.</b> One round trip for each method, two if {@link #advance} finds another version. Each attempt of
 * {@link #update} takes three in all, the commit included, beside those of the action. From the compare-and-set to the
 * commit other transactions that want to write the row wait, so the compare-and-set comes last.
 *
 * <p>Names of table and columns are taken as they would be written in a statement: plain or in quotes ({@code "} or,
 * in MySQL and MariaDB, backticks), a table with its schema if need be; anything else is refused. Thread-safe.
 */
public final class OptimisticLock {

    private static final String IDENTIFIER = "(?:[A-Za-z_][A-Za-z0-9_$]*|\"[^\"\\x00]+\"|`[^`\\x00]+`)";
    private static final Pattern COLUMN = Pattern.compile(IDENTIFIER);
    private static final Pattern TABLE = Pattern.compile(IDENTIFIER + "(?:\\." + IDENTIFIER + "){0,2}");

    private static final int OUT_OF_RANGE = 1264; // of MySQL and MariaDB

    private static final String UNCOMMITTED = "READ-UNCOMMITTED"; // as MySQL and MariaDB call it

    private final DataSource source;
    private final String table;
    private final String key;
    private final String version;

    private OptimisticLock(DataSource source, String table, String key, String version) {
        this.source = source;
        this.table = table;
        this.key = key;
        this.version = version;
    }

    /**
     * Changes a row.
     *
     * @param <T> the result of the update
     */
    @FunctionalInterface
    public interface Action<T extends @Nullable Object> {

        /**
         * Reads and writes what belongs to the row. It may be called several times, each time in a new transaction;
         * between the calls only what it did on the connection is undone.
         *
         * @param connection with a transaction, which is committed or rolled back by the caller
         * @param version of the row
         * @return the result of the update
         * @throws SQLException ends the update, except after a deadlock or a serialisation failure: then the action is
         *     called again
         */
        T run(Connection connection, long version) throws SQLException;
    }

    /**
     * For the rows of a table.
     *
     * @param source of connections for {@link #update}
     * @param table of the rows
     * @param key a column with a unique index
     * @param version a column of whole numbers, never null
     * @return the lock of each of the rows; nothing is sent
     * @throws IllegalArgumentException if a name is no name of a table or column, plain or in quotes
     */
    public static OptimisticLock on(DataSource source, String table, String key, String version) {
        return new OptimisticLock(
                source, check(TABLE, "table", table), check(COLUMN, "column", key), check(COLUMN, "column", version));
    }

    private static String check(Pattern pattern, String what, String name) {
        if (!pattern.matcher(name).matches()) {
            throw new IllegalArgumentException("'" + name + "' is no name of a " + what);
        }
        return name;
    }

    /**
     * Reads the stamp to begin with: the committed version of a row, even while somebody is about to change the row.
     *
     * @param connection in autocommit mode, or with a transaction
     * @param row value of the key
     * @return the version
     * @throws NoSuchElementException if there is no such row
     * @throws IllegalStateException if the connection reads what is not committed
     * @throws SQLException what the driver says
     */
    public long tryOptimisticRead(Connection connection, Object row) throws SQLException {
        return read(connection, row, "").orElseThrow(() -> new NoSuchElementException("there is no " + describe(row)));
    }

    /**
     * Whether the row still has this version and nobody is about to change it; never waits. In a transaction the answer
     * stays true until the transaction ends, because nobody else can change the row (in SQLite: because the transaction
     * reads what was there when it began).
     *
     * @param connection in autocommit mode, or with a transaction
     * @param row value of the key
     * @param stamp the version that was read
     * @return false if the row was changed or deleted, or somebody has it locked
     * @throws IllegalStateException if the connection reads what is not committed
     * @throws SQLException what the driver says
     */
    public boolean validate(Connection connection, Object row, long stamp) throws SQLException {
        OptionalLong actual = read(connection, row, Vendor.of(connection).unchanging());
        return actual.isPresent() && actual.getAsLong() == stamp;
    }

    /**
     * Makes the version one larger, if it is still the one that was read; best shortly before the commit.
     *
     * @param connection with a transaction
     * @param row value of the key
     * @param stamp the version that was read
     * @return the new version
     * @throws StaleVersionException if the row has another version, or is gone: roll back, and begin again in a new
     *     transaction
     * @throws IllegalStateException if the connection reads what is not committed; then nothing was changed
     * @throws SQLException what the driver says, as from any statement of the transaction
     */
    public long advance(Connection connection, Object row, long stamp) throws SQLException {
        Vendor vendor = checkCommitted(connection);
        if (stamp == Long.MAX_VALUE) { // SQLite would make one more a fraction, which is read as the same number
            throw noRoom(row);
        }
        String committed = vendor.isInnoDb() ? " AND " + vendor.isolation() + " <> '" + UNCOMMITTED + "'" : "";
        String sql = "UPDATE " + table + " SET " + version + " = " + version + " + 1 WHERE " + key + " = ? AND "
                + version + " = ?" + committed;
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setObject(1, row);
            statement.setLong(2, stamp);
            if (statement.executeUpdate() == 0) {
                // at InnoDB's REPEATABLE READ only a locking read sees what was committed
                String current = vendor.isInnoDb() ? " LOCK IN SHARE MODE" : "";
                throw new StaleVersionException(describe(row), stamp, read(connection, row, current));
            }
            if (vendor.isInnoDb()) {
                checkRoom(statement.getWarnings(), row);
            }
        }
        return stamp + 1;
    }

    /**
     * Where the server is not strict ({@code sql_mode}), a version for which the column has no room stays as it was.
     */
    private void checkRoom(@Nullable SQLWarning first, Object row) throws SQLException {
        for (SQLWarning warning = first; warning != null; warning = warning.getNextWarning()) {
            if (warning.getErrorCode() == OUT_OF_RANGE) {
                throw noRoom(row);
            }
        }
    }

    private SQLException noRoom(Object row) {
        return new SQLException(
                "the column " + version + " has no room for a larger version of " + describe(row),
                "22003",
                OUT_OF_RANGE);
    }

    private OptionalLong read(Connection connection, Object row, String how) throws SQLException {
        Vendor vendor = checkCommitted(connection);
        String isolation = vendor.isInnoDb() ? vendor.isolation() : "''";
        String sql = "SELECT " + version + ", " + isolation + " FROM " + table + " WHERE " + key + " = ?" + how;
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setObject(1, row);
            try (ResultSet found = statement.executeQuery()) {
                if (!found.next()) {
                    return OptionalLong.empty();
                }
                if (UNCOMMITTED.equals(found.getString(2))) {
                    throw uncommitted();
                }
                long actual = found.getLong(1);
                if (found.wasNull()) {
                    throw new SQLException("the column " + version + " of " + describe(row) + " is null", "22004");
                }
                return OptionalLong.of(actual);
            }
        }
    }

    /**
     * Refuses READ UNCOMMITTED where this takes no round trip, in SQLite; for MySQL and MariaDB the statements
     * themselves check it. PostgreSQL shows nobody what is not committed.
     */
    private static Vendor checkCommitted(Connection connection) throws SQLException {
        Vendor vendor = Vendor.of(connection);
        if (vendor == Vendor.SQLITE
                && connection.getTransactionIsolation() == Connection.TRANSACTION_READ_UNCOMMITTED) {
            throw uncommitted();
        }
        return vendor;
    }

    private static IllegalStateException uncommitted() {
        return new IllegalStateException("the connection is at READ UNCOMMITTED: what it reads may never be committed");
    }

    private String describe(Object row) {
        return "row " + key + " = " + row + " of " + table;
    }

    /**
     * Reads the version, calls the action, advances the version and commits. If somebody else was faster, or the
     * database reports a deadlock or a serialisation failure, all this is done again in a new transaction, after a
     * pause. An interrupt does not end the update.
     *
     * @param <T> what the action returns
     * @param row value of the key
     * @param policy how often the update is tried
     * @param action what changes the row, and whatever belongs to it; called at least once
     * @return what the action returned, when it is committed
     * @throws StaleVersionException if somebody else was faster at the last attempt too, with the version that was in
     *     the way
     * @throws NoSuchElementException if there is no such row
     * @throws IllegalStateException if the connections of the data source read what is not committed
     * @throws SQLException what the driver says; if it comes from the commit of a connection that breaks, nobody knows
     *     whether the update was committed
     */
    public <T extends @Nullable Object> T update(Object row, RetryPolicy policy, Action<T> action) throws SQLException {
        Pause pause = policy.pause();
        Lock escalated = null;
        try {
            for (int conflicts = 1; ; conflicts++) {
                try {
                    return attempt(row, action, policy.goesOn(conflicts));
                } catch (StaleVersionException overtaken) {
                    if (!policy.goesOn(conflicts)) {
                        throw overtaken;
                    }
                }
                Lock lock = policy.escalation(conflicts);
                if (lock != null) {
                    lock.lock();
                    escalated = lock;
                    pause = policy.pause();
                } else {
                    pause.take(Deadline.never());
                }
            }
        } finally {
            if (escalated != null) {
                release(escalated);
            }
        }
    }

    private static void release(Lock escalated) {
        try {
            escalated.unlock();
        } catch (IllegalMonitorStateException lost) {
            // the lock only kept others out of the way; the version has made sure that nothing was overwritten
        }
    }

    /**
     * @param goesOn whether another attempt follows; then the version that was in the way of this one is not read
     */
    private <T extends @Nullable Object> T attempt(Object row, Action<T> action, boolean goesOn) throws SQLException {
        try (Connection connection = source.getConnection()) {
            boolean autoCommit = connection.getAutoCommit();
            connection.setAutoCommit(false);
            Vendor vendor = Vendor.of(connection);
            boolean committed = false;
            long stamp = 0;
            try {
                stamp = tryOptimisticRead(connection, row);
                T result = action.run(connection, stamp);
                advance(connection, row, stamp);
                connection.commit();
                committed = true;
                return result;
            } catch (SQLException failed) {
                if (!vendor.isConflict(failed)) {
                    throw failed;
                }
                connection.rollback();
                OptionalLong actual = goesOn ? OptionalLong.empty() : read(connection, row, "");
                StaleVersionException overtaken = new StaleVersionException(describe(row), stamp, actual);
                overtaken.initCause(failed);
                throw overtaken;
            } finally {
                end(connection, committed, autoCommit);
            }
        }
    }

    @Override
    public String toString() {
        return "OptimisticLock[" + table + ", " + key + ", " + version + "]";
    }

    /** A connection that is broken has nothing to be undone. */
    private static void end(Connection connection, boolean committed, boolean autoCommit) {
        try {
            if (!committed) {
                connection.rollback();
            }
            connection.setAutoCommit(autoCommit);
        } catch (SQLException broken) {
            // the caller gets the failure that came before; what was committed stays committed
        }
    }
}
