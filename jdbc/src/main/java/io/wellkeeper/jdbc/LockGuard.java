package io.wellkeeper.jdbc;

import io.wellkeeper.DistributedLock;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockLostException;
import io.wellkeeper.spi.LockNames;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketHolder;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Map;
import java.util.Optional;

/**
 * Ties locks to transactions, where the {@link SqlTicketStore} keeps its tables in the database that the locks protect.
 *
 * <pre>{@code
 * lock.lock();
 * try (Connection connection = source.getConnection()) {
 *     connection.setAutoCommit(false);
 *     guard.guard(connection, lock);        // nobody else is granted the lock before this transaction ends
 *     ...
 *     guard.unlockWith(connection, lock);   // not needed; passes the lock on by the very commit
 *     connection.commit();
 * } finally {
 *     lock.unlock();
 * }
 * }</pre>
 *
 * <p>A guard needs neither the client nor the store. The transaction is the user's, on any connection to the same
 * database and schema; its database user needs the rights on the tables that the store's has. The transaction must be
 * at READ COMMITTED. A stricter one PostgreSQL may end with a serialisation failure (SQLState 40001) instead of an
 * answer; with MariaDB and MySQL any other level is refused, because stricter ones lock the gaps between rows, where
 * other clients insert theirs. In MariaDB and MySQL a guard locks entries of two indexes, which heartbeats do not touch
 * and a removal must. If an operator removes a ticket that is guarded, the operator's transaction and this one may wait
 * for each other; then the database ends one of them. {@code ROLLBACK TO SAVEPOINT} to an earlier savepoint undoes the
 * guard, and so does a framework that ends a nested transaction in that way: then guard again.
 *
 * <p>Not for SQLite, where one transaction writes at a time: a transaction that kept a lock from being passed on would
 * also keep all clients from sending heartbeats. For other stores, and where several holders within one process have to
 * be put in an order, use {@link Fence}. Immutable.
 */
public final class LockGuard {

    private static final String GUARD = "SELECT 1 FROM {ticket} t JOIN {session} s ON s.id = t.session"
            + " WHERE t.name = ? AND t.number = ? AND t.session = ? AND s.expires > clock_timestamp()"
            + " FOR KEY SHARE OF t, s";
    private static final String SERIALISATION_FAILURE = "40001";

    private final Tables tables;
    private final String guard;
    private final Script remove;
    private final MariaDbScript guardInnoDb;
    private final MariaDbScript removeInnoDb;

    private LockGuard(Tables tables) {
        this.tables = tables;
        this.guard = tables.fill(GUARD);
        this.remove = PostgreSqlSteps.forcedRemoval(tables);
        this.guardInnoDb = new MariaDbScript("guard.sql", tables);
        this.removeInnoDb = new MariaDbScript("pass.sql", tables);
    }

    /**
     * {@return a guard for a store with the prefix {@code wellkeeper_} and tables that are where the connection looks
     * first}
     */
    public static LockGuard standard() {
        return new LockGuard(new Tables(Optional.empty(), Tables.PREFIX));
    }

    /**
     * For a store with another prefix, whose tables are where the connection looks first.
     *
     * @param prefix of the store
     * @return a guard for the locks of that store alone
     * @throws IllegalArgumentException if the prefix is not made of lower-case letters, digits and {@code _}
     */
    public static LockGuard prefixed(String prefix) {
        return new LockGuard(new Tables(Optional.empty(), prefix));
    }

    /**
     * For a store with another prefix and schema.
     *
     * @param schema of the store
     * @param prefix of the store
     * @return a guard for the locks of that store alone
     * @throws IllegalArgumentException if one is not made of lower-case letters, digits and {@code _}
     */
    public static LockGuard prefixed(String schema, String prefix) {
        return new LockGuard(new Tables(Optional.of(schema), prefix));
    }

    /**
     * Makes sure that the lock is held, by what the database says, and stays held until this transaction ends: even if
     * the holder's session times out, if the holder is cut off, or if somebody wants to break the lock, the others wait
     * for the end of the transaction. Takes one round trip, in MariaDB and MySQL one more to ask for the isolation
     * level; heartbeats and the queue go on as usual.
     *
     * <p>Commit before you unlock. Otherwise the release waits for the commit, which delays whatever else this client asks of
     * the store, but not its heartbeats for long; and another thread of this client may be let in before the commit.
     *
     * @param connection with a transaction
     * @param lock held by this thread
     * @throws LockLostException if it is not held any more: roll back
     * @throws IllegalMonitorStateException if this thread does not hold it
     * @throws IllegalStateException if the connection is in autocommit mode, or at another isolation level that is refused
     * @throws UnsupportedOperationException if the database is SQLite, or the store has no tickets
     * @throws SQLException what the driver says, as from any statement of the transaction
     */
    public void guard(Connection connection, DistributedLock lock) throws SQLException {
        guard(connection, lock.name(), holder(lock));
    }

    /**
     * As {@link #guard(Connection, DistributedLock)}.
     *
     * @param connection with a transaction
     * @param handle held
     * @throws SQLException what the driver says, as from any statement of the transaction
     */
    public void guard(Connection connection, LockHandle handle) throws SQLException {
        guard(connection, handle.name(), holder(handle));
    }

    private void guard(Connection connection, String name, TicketHolder holder) throws SQLException {
        guard(connection, check(connection), name, holder);
    }

    private Ticket guard(Connection connection, Vendor vendor, String name, TicketHolder holder) throws SQLException {
        Ticket ticket = holder.ticket();
        if (vendor.isInnoDb()) {
            guardInnoDb(connection, name, ticket);
        } else {
            guardPostgreSql(connection, name, ticket);
        }
        // fails if the ticket was given back meanwhile: the next holder may know, even if the removal came to nothing
        holder.ticket();
        return ticket;
    }

    private void guardPostgreSql(Connection connection, String name, Ticket ticket) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(guard)) {
            statement.setString(1, LockNames.check(name));
            statement.setLong(2, ticket.number());
            statement.setString(3, ticket.session());
            try (ResultSet row = statement.executeQuery()) {
                if (!row.next()) {
                    refuseOldSnapshot(connection, name);
                    throw lost(name);
                }
            }
        }
    }

    /** At a stricter level the transaction goes on reading what was there when it began: it may not see the ticket. */
    private static void refuseOldSnapshot(Connection connection, String name) throws SQLException {
        if (connection.getTransactionIsolation() > Connection.TRANSACTION_READ_COMMITTED) {
            throw new SQLException(
                    "the transaction does not see that lock '" + name
                            + "' is held, and may have begun before that was so;"
                            + " roll back, and guard the lock first in a new one",
                    SERIALISATION_FAILURE);
        }
    }

    /**
     * Has the lock passed on by the commit of this transaction, neither before nor after it. Call this last, just
     * before the commit: from here to the end of the transaction nobody can join the queue of this lock. Takes two
     * round trips, in MariaDB and MySQL seven, or three if the connection takes several statements at once
     * ({@code allowMultiQueries}), and one more for each client to be woken. A client that is another user of the
     * database finds out by itself, within 5 s.
     *
     * <p>Then release the lock as usual, whether the transaction was committed or not. After a commit the release only
     * ends the hold in this process, where the lock seems to be held until then; after a rollback the release gives the
     * lock back. Until the release, this client does not notice any more if an operator removes the ticket, and the
     * holder cannot acquire the lock once more, wait for a condition, become a reader, or read beside it: somebody else
     * may hold the lock by then.
     *
     * @param connection with a transaction
     * @param lock held by this thread once, exclusively
     * @throws LockLostException if it is not held any more: roll back
     * @throws IllegalMonitorStateException if this thread does not hold it
     * @throws IllegalStateException if this thread holds it more than once or shares it, or the connection is in autocommit
     *     mode, or at another isolation level that is refused
     * @throws UnsupportedOperationException if the database is SQLite, or the store has no tickets
     * @throws SQLException what the driver says, as from any statement of the transaction
     */
    public void unlockWith(Connection connection, DistributedLock lock) throws SQLException {
        unlockWith(connection, lock.name(), holder(lock));
    }

    /**
     * As {@link #unlockWith(Connection, DistributedLock)}.
     *
     * @param connection with a transaction
     * @param handle held, and then to be closed
     * @throws SQLException what the driver says, as from any statement of the transaction
     */
    public void unlockWith(Connection connection, LockHandle handle) throws SQLException {
        unlockWith(connection, handle.name(), holder(handle));
    }

    private void unlockWith(Connection connection, String name, TicketHolder holder) throws SQLException {
        Vendor vendor = check(connection);
        holder.expectRemoval();
        Ticket ticket = guard(connection, vendor, name, holder);
        if (vendor.isInnoDb()) {
            for (String watcher :
                    removeInnoDb.run(connection, parameters(name, ticket)).marked("ring")) {
                MariaDbPost.ring(connection, tables, watcher, unheard -> {});
            }
            return;
        }
        if (!PostgreSqlSteps.remove(connection, remove, parameters(name, ticket))) {
            throw lost(name);
        }
    }

    private void guardInnoDb(Connection connection, String name, Ticket ticket) throws SQLException {
        if (guardInnoDb.run(connection, parameters(name, ticket)).last().isEmpty()) {
            throw lost(name);
        }
    }

    private static Map<String, Object> parameters(String name, Ticket ticket) {
        Map<String, Object> parameters = TicketIds.parameters(LockNames.check(name), ticket);
        parameters.put("me", ticket.session());
        return parameters;
    }

    private static TicketHolder holder(Object held) {
        if (held instanceof TicketHolder holder) {
            return holder;
        }
        throw new UnsupportedOperationException("a " + held.getClass().getName() + " has no ticket");
    }

    private static Vendor check(Connection connection) throws SQLException {
        Vendor vendor = Vendor.of(connection);
        if (vendor == Vendor.SQLITE) {
            throw new UnsupportedOperationException("SQLite cannot guard a lock while heartbeats go on");
        }
        if (connection.getAutoCommit()) {
            throw new IllegalStateException("a lock is guarded by a transaction; this connection commits by itself");
        }
        if (vendor.isInnoDb() && connection.getTransactionIsolation() != Connection.TRANSACTION_READ_COMMITTED) {
            throw new IllegalStateException("a transaction that guards a lock must be at READ COMMITTED here: stricter"
                    + " ones lock the gaps between rows, where other clients have theirs to insert");
        }
        return vendor;
    }

    @Override
    public String toString() {
        return "LockGuard[" + tables.table("ticket") + "]";
    }

    private static LockLostException lost(String name) {
        return new LockLostException("lock '" + name + "' was lost: the database has ended its session; roll back");
    }
}
