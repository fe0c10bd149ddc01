package io.wellkeeper.jdbc;

import io.wellkeeper.spi.LockNames;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;

/**
 * Makes the database refuse writers with an old fencing token. No lock can stop a process that was paused after it last
 * looked at its lock; the place where the process writes can.
 *
 * <pre>{@code
 * try (Connection connection = source.getConnection()) {
 *     connection.setAutoCommit(false);
 *     fence.check(connection, "orders", lock.fencingToken());   // throws if a larger token has been here
 *     ...                                                       // read and write
 *     connection.commit();
 * }
 * }</pre>
 *
 * <p>The tokens may come from a lock in any store, in this database or elsewhere: a token is a number that grows.
 *
 * <p><b>Guarantees.</b> Of the transactions that checked a token of one name and were committed, none began its check
 * after one with a larger token had been committed. The row of the name stays locked until the transaction ends, so the
 * database puts such transactions in an order, also the first two of a name. A transaction that holds the row with
 * token 5 makes one with 6 wait, and then pass; the other way round 5 is refused. Equal tokens pass, so one holder may
 * have several transactions, one after the other. A transaction that is rolled back leaves no trace. {@code ROLLBACK TO
 * SAVEPOINT} to a savepoint from before the check undoes the check too, and so does a framework that ends a nested
 * transaction in that way: then check again. So does a deadlock in MySQL and MariaDB, which rolls the whole transaction
 * back: a program that goes on after it, in what is a new transaction there, is not protected.
 *
 * <p><b>Where to check.</b> First in the transaction: then all that it reads, it reads as the holder. A later check,
 * before the commit, refuses as well, but two transactions that have locked rows of yours before may deadlock, and with
 * a snapshot taken before the check (REPEATABLE READ) the holder may read what was there before.
 *
 * <p><b>Isolation.</b> READ COMMITTED is enough; all stronger levels will do, too. At these PostgreSQL may end the
 * waiting transaction with a serialisation failure (SQLState 40001) instead: try again as usual.
 *
 * <p><b>Cost.</b> One round trip, and one row written in the table {@code wellkeeper_fence}. In MySQL and MariaDB a
 * second one for the token 0, and for an equal token where the driver counts only rows that change ({@code
 * useAffectedRows=true}). Transactions of one name are serialised; those of other names are not concerned (in SQLite
 * all that write are). One row for each name stays.
 *
 * <p><b>Failure.</b> {@link StaleTokenException} if the token is too small; then roll back. The table is not made by a
 * check, since several databases end the transaction for that: call {@link #createTable} before, or let your migrations
 * do what {@link #schema} says. For PostgreSQL 14, MySQL 8.0, MariaDB 10.6, SQLite 3.35, or later. Immutable.
 */
public final class Fence {

    private static final long NO_ANSWER = -1;

    private final String table;

    private Fence(Tables tables) {
        this.table = tables.table("fence");
    }

    /** {@return a fence over the table {@code wellkeeper_fence} where the connection looks first} */
    public static Fence standard() {
        return new Fence(new Tables(Optional.empty(), Tables.PREFIX));
    }

    /**
     * Over a table whose name is a prefix and {@code fence}, where the connection looks first.
     *
     * @param prefix what the name begins with
     * @return a fence that knows nothing of those over other tables
     * @throws IllegalArgumentException if the prefix is not made of lower-case letters, digits and {@code _}
     */
    public static Fence prefixed(String prefix) {
        return new Fence(new Tables(Optional.empty(), prefix));
    }

    /**
     * Over a table of another name in a certain schema.
     *
     * @param schema where the table is
     * @param prefix what its name begins with
     * @return a fence that knows nothing of those over other tables
     * @throws IllegalArgumentException if one is not made of lower-case letters, digits and {@code _}
     */
    public static Fence prefixed(String schema, String prefix) {
        return new Fence(new Tables(Optional.of(schema), prefix));
    }

    /**
     * The statement that makes the table.
     *
     * @param database {@code postgresql}, {@code mysql}, {@code mariadb} or {@code sqlite}
     * @return one that does nothing if the table is there
     * @throws IllegalArgumentException for any other
     */
    public String schema(String database) {
        return schema(Vendor.of(database));
    }

    private String schema(Vendor vendor) {
        return "CREATE TABLE IF NOT EXISTS " + table + " (name " + vendor.nameType()
                + " NOT NULL PRIMARY KEY, token bigint NOT NULL)" + vendor.tableOptions();
    }

    /**
     * Makes the table if it is not there.
     *
     * @param connection in autocommit mode
     * @throws IllegalStateException if the connection has a transaction
     * @throws SQLException what the driver says
     */
    public void createTable(Connection connection) throws SQLException {
        Vendor.createTable(connection, table, schema(Vendor.of(connection)));
    }

    /**
     * Refuses a token that is smaller than the largest that was shown for this name. Otherwise all other transactions
     * that show a token for the name wait until this transaction ends.
     *
     * @param connection with a transaction
     * @param name of the lock
     * @param token of the holder that wants to write
     * @throws StaleTokenException if a larger token was seen
     * @throws IllegalArgumentException if the token is negative, or there can be no lock of such a name
     * @throws IllegalStateException if the connection is in autocommit mode, where a check would protect nothing
     * @throws SQLException what the driver says, as from any statement of the transaction
     */
    public void check(Connection connection, String name, long token) throws SQLException {
        LockNames.check(name);
        if (token < 0) {
            throw new IllegalArgumentException("token " + token + " is negative");
        }
        if (connection.getAutoCommit()) {
            throw new IllegalStateException(
                    "a token is checked within a transaction; this connection commits by itself");
        }
        long highest = raise(connection, name, token);
        if (highest > token) {
            throw new StaleTokenException(name, token, highest);
        }
    }

    @Override
    public String toString() {
        return "Fence[" + table + "]";
    }

    /** The largest token that was shown, this one included. */
    private long raise(Connection connection, String name, long token) throws SQLException {
        Vendor vendor = Vendor.of(connection);
        if (vendor.isInnoDb()) {
            long highest = raiseInnoDb(connection, name, token);
            return highest >= token ? highest : read(connection, name);
        }
        String larger = vendor == Vendor.SQLITE ? "max" : "greatest";
        String sql = "INSERT INTO " + table + " AS f (name, token) VALUES (?, ?) ON CONFLICT (name)"
                + " DO UPDATE SET token = " + larger + "(f.token, excluded.token) RETURNING token";
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setString(1, name);
            statement.setLong(2, token);
            try (ResultSet row = statement.executeQuery()) {
                if (!row.next()) {
                    throw new SQLException("no row was returned by " + sql);
                }
                return row.getLong(1);
            }
        }
    }
    /**
     * The largest token, which the statement returns as the generated key; less than the token shown if there is no
     * such key. Drivers return no key for 0, nor for a row that stays as it is where they count changed rows only
     * ({@code useAffectedRows}).
     */
    private long raiseInnoDb(Connection connection, String name, long token) throws SQLException {
        String sql = "INSERT INTO " + table + " (name, token) VALUES (?, last_insert_id(?))"
                + " ON DUPLICATE KEY UPDATE token = last_insert_id(greatest(token, VALUES(token)))";
        try (PreparedStatement statement = connection.prepareStatement(sql, Statement.RETURN_GENERATED_KEYS)) {
            statement.setBytes(1, name.getBytes(StandardCharsets.UTF_8));
            statement.setLong(2, token);
            statement.executeUpdate();
            try (ResultSet row = statement.getGeneratedKeys()) {
                return row.next() ? row.getLong(1) : NO_ANSWER;
            }
        }
    }

    /**
     * The token in the row that this transaction has locked, by a read that sees committed changes at any isolation
     * level.
     */
    private long read(Connection connection, String name) throws SQLException {
        String sql = "SELECT token FROM " + table + " WHERE name = ? FOR UPDATE";
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setBytes(1, name.getBytes(StandardCharsets.UTF_8));
            try (ResultSet row = statement.executeQuery()) {
                if (!row.next()) {
                    throw new SQLException("no row was found by " + sql);
                }
                return row.getLong(1);
            }
        }
    }
}
