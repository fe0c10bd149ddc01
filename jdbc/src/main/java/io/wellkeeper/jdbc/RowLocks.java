package io.wellkeeper.jdbc;

import io.wellkeeper.LockStoreException;
import io.wellkeeper.spi.LockNames;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;

/**
 * Pessimistic locks of the database itself: a name is a row, and a transaction that has locked the row has the lock
 * until the transaction ends. The right choice when all that the lock protects is in the same database: one commit
 * makes the changes permanent and releases the lock.
 *
 * <pre>{@code
 * try (RowTransaction tx = locks.transaction("account:1", "account:2")) {  // own connection
 *     transfer(tx.connection());
 *     tx.commit();                                                         // frees them; close() alone rolls back
 * }
 * locks.in(connection).lock("account:1", Duration.ofSeconds(2));           // in a transaction of yours
 * }</pre>
 *
 * <p><b>Guarantees.</b> The database's: no two transactions have locked one row. In a cluster of MariaDB or MySQL that
 * holds only for transactions on one node, so all clients must use the same node. A row is made before it is locked, on
 * a connection that commits by itself: to lock a row that is not there locks nothing, or a gap in which nobody can
 * insert. All calls lock their names in the same order. Each lock has a fencing token, larger than all earlier ones of
 * that name: the database's clock in microseconds, or one more than the last committed token if that is larger. If a
 * holder is rolled back <i>and</i> the clock is set back, the next holder may get the same token again.
 *
 * <p><b>Order.</b> The database's, which promises none. With a deadline PostgreSQL is asked once, by {@code
 * lock_timeout}. MySQL and MariaDB know whole seconds only: for the last one or two they are asked again every few
 * milliseconds, with {@code SKIP LOCKED}.
 *
 * <p><b>Cost.</b> Each holder and each waiter has one connection all the time; have a pool that is large enough, or use
 * a lock of {@link SqlTicketStore}, which needs two connections for all locks. PostgreSQL: one round trip for any
 * number of names, one to commit. MySQL and MariaDB: two for each name, two more if the lock has to be waited for. The
 * first use of a name in this object: one or two more. The data source is called on up to 16 threads of this object's
 * own, so that deadlines hold even if it blocks; it does not see the thread-locals of the calling thread there.
 *
 * <p><b>Isolation.</b> {@link #transaction} uses READ COMMITTED in PostgreSQL, and the connection's level elsewhere,
 * which is safe: in InnoDB a transaction reads what was committed up to its first read, and that read comes after the
 * lock. In a transaction of yours at REPEATABLE READ or above, lock before anything else; PostgreSQL then may end it
 * with a serialisation failure.
 *
 * <p><b>Failure.</b> When the connection breaks or the process dies, the server rolls back as soon as it notices. If
 * the client's machine has vanished, that may be never: have {@code tcp_keepalives_idle} or {@code tcp_user_timeout}
 * set on the server, and use {@link #idleAtMost}. The holder learns of it from the next statement, or from {@link
 * RowTransaction#checkHeld()}. With {@code innodb_rollback_on_timeout} MySQL and MariaDB roll your whole transaction
 * back when a wait for a row times out; it is off by default.
 *
 * <p>For PostgreSQL 14, MySQL 8.0, MariaDB 10.6, or later. SQLite is refused: it locks no rows. The
 * table {@code wellkeeper_row} keeps one row for each name ever used; call {@link #createTable()} once, or let your
 * migrations do what {@link #schema} says. Thread-safe.
 */
public final class RowLocks {

    private static final int MOST_KNOWN = 100_000;
    private static final Duration FIRST_PAUSE = Duration.ofMillis(5);
    private static final Duration LONGEST_PAUSE = Duration.ofMillis(200);
    private static final Duration LOOK_FOR_INTERRUPTS = Duration.ofSeconds(3);

    private final DataSource source;
    private final Lender lender;
    private final RowSql sql;
    private final Set<String> known = ConcurrentHashMap.newKeySet(); // names that have a row

    private RowLocks(DataSource source, Tables tables) {
        this(source, new Lender(source), new RowSql(tables));
    }

    private RowLocks(DataSource source, Lender lender, RowSql sql) {
        this.source = source;
        this.lender = lender;
        this.sql = sql;
    }

    /**
     * Over the table {@code wellkeeper_row} where the connection looks first.
     *
     * @param source of connections
     * @return the locks; nothing is sent
     */
    public static RowLocks over(DataSource source) {
        return new RowLocks(source, new Tables(Optional.empty(), Tables.PREFIX));
    }

    /**
     * Over a table whose name is a prefix and {@code row}, where the connection looks first.
     *
     * @param source of connections
     * @param prefix of the table's name
     * @return the locks; nothing is sent
     * @throws IllegalArgumentException if the prefix is not made of lower-case letters, digits and {@code _}
     */
    public static RowLocks over(DataSource source, String prefix) {
        return new RowLocks(source, new Tables(Optional.empty(), prefix));
    }

    /**
     * Over a table of another name in a certain schema.
     *
     * @param source of connections
     * @param schema where the table is
     * @param prefix what its name begins with
     * @return the locks; nothing is sent
     * @throws IllegalArgumentException if one is not made of lower-case letters, digits and {@code _}
     */
    public static RowLocks over(DataSource source, String schema, String prefix) {
        return new RowLocks(source, new Tables(Optional.of(schema), prefix));
    }

    /**
     * The same locks, but the server ends a {@link #transaction} from which it has not heard for a while, so that a
     * machine that has vanished cannot keep a lock for ever. A holder that does not use the connection for so long,
     * because it computes or waits, has to call {@link RowTransaction#checkHeld()} more often than that; so has the
     * holder of a {@link RowLock}. MySQL and MariaDB: two round trips more. This does not concern transactions of
     * yours.
     *
     * @param time at least 1 ms; whole seconds in MySQL and MariaDB, rounded up
     * @return these locks with that limit
     * @throws IllegalArgumentException if it is less than 1 ms
     */
    public RowLocks idleAtMost(Duration time) {
        if (time.toMillis() < 1) {
            throw new IllegalArgumentException("idle for at most " + time + "; it must be a millisecond or more");
        }
        return new RowLocks(source, lender, sql.idleAtMost(time));
    }

    /**
     * The statement that makes the table, for migrations by hand.
     *
     * @param database {@code postgresql}, {@code mysql} or {@code mariadb}
     * @param prefix what the table's name begins with
     * @return one that does nothing if the table is there
     * @throws IllegalArgumentException if the database is another, or the prefix is not made of lower-case letters,
     *     digits and {@code _}
     * @throws UnsupportedOperationException if it is SQLite, which locks no rows
     */
    public static String schema(String database, String prefix) {
        return new RowSql(new Tables(Optional.empty(), prefix)).schema(Vendor.of(database));
    }

    /**
     * As {@link #schema(String, String)}, in a certain schema, which must be there.
     *
     * @param database {@code postgresql}, {@code mysql} or {@code mariadb}
     * @param schema where the table is made
     * @param prefix what its name begins with
     * @return one that does nothing if the table is there
     * @throws IllegalArgumentException if the database is another, or a name is not made of lower-case letters, digits
     *     and {@code _}
     * @throws UnsupportedOperationException if it is SQLite, which locks no rows
     */
    public static String schema(String database, String schema, String prefix) {
        return new RowSql(new Tables(Optional.of(schema), prefix)).schema(Vendor.of(database));
    }

    /**
     * Makes the table if it is not there, on a connection of its own.
     *
     * @throws SQLException what the driver or the data source says
     */
    public void createTable() throws SQLException {
        try (Connection connection = source.getConnection()) {
            boolean autoCommit = connection.getAutoCommit();
            connection.setAutoCommit(true);
            try {
                sql.createTable(connection);
            } finally {
                connection.setAutoCommit(autoCommit);
            }
        }
    }

    /**
     * Makes the rows of names that will be locked, so that the first lock of each costs no more than another, and needs
     * no second connection beside that of a transaction of yours.
     *
     * @param names of locks
     * @throws SQLException what the driver or the data source says
     */
    public void prepare(String... names) throws SQLException {
        prepare(sorted(names), Deadline.never());
    }

    private boolean prepare(List<String> names, Deadline deadline) throws SQLException {
        List<String> unknown = unknown(names);
        if (unknown.isEmpty()) {
            return true;
        }
        Optional<Connection> second = lender.lend(deadline);
        if (second.isEmpty()) {
            return false;
        }
        try (Connection connection = second.get()) {
            prepare(connection, unknown);
        }
        return true;
    }

    /** Names become known after the commit: before it, no other transaction sees the rows. */
    private void prepare(Connection connection, List<String> unknown) throws SQLException {
        for (String name : unknown) {
            sql.create(connection, name);
        }
        if (!connection.getAutoCommit()) {
            connection.commit();
        }
        if (known.size() >= MOST_KNOWN) {
            known.clear();
        }
        known.addAll(unknown);
    }

    private List<String> unknown(List<String> names) {
        return names.stream().filter(name -> !known.contains(name)).toList();
    }

    private static List<String> sorted(String... names) {
        if (names.length == 0) {
            throw new IllegalArgumentException("no lock is named");
        }
        return Arrays.stream(names).map(LockNames::check).distinct().sorted().toList();
    }

    /**
     * Begins a transaction that has these locks; waits for as long as it takes, and an interrupt does not end the wait.
     *
     * @param names of locks
     * @return the transaction, to be closed
     * @throws LockStoreException if the database failed
     */
    public RowTransaction transaction(String... names) {
        return begin(Deadline.never(), sorted(names))
                .orElseThrow(() -> new LockStoreException("gave up after weeks of waiting"));
    }

    /**
     * Begins a transaction that has these locks, if all can be had in the given time, the connection included.
     *
     * @param wait the longest time to wait; with zero or less there is no wait for the locks, and two seconds for a
     *     connection
     * @param names of locks
     * @return empty if the time has passed first; nothing is locked then
     * @throws LockStoreException if the database failed, or the data source has given no connection in all that time,
     *     two seconds or more
     */
    public Optional<RowTransaction> tryTransaction(Duration wait, String... names) {
        return begin(Deadline.in(wait), sorted(names));
    }

    /** As {@link #beginInterruptibly}, but an interrupt does not end the wait. */
    Optional<RowTransaction> begin(Deadline deadline, List<String> names) {
        try {
            Optional<Connection> connection = lender.lend(deadline);
            return connection.isEmpty() ? Optional.empty() : begin(connection.get(), deadline, names, false);
        } catch (SQLException failed) {
            throw failure(names, failed);
        } catch (InterruptedException never) {
            throw new IllegalStateException(never);
        }
    }

    /** Begins a transaction; tries again after a deadlock with a transaction that locks in another order. */
    Optional<RowTransaction> beginInterruptibly(Deadline deadline, List<String> names) throws InterruptedException {
        try {
            Optional<Connection> connection = lender.lendInterruptibly(deadline);
            return connection.isEmpty() ? Optional.empty() : begin(connection.get(), deadline, names, true);
        } catch (SQLException failed) {
            throw failure(names, failed);
        }
    }

    private Optional<RowTransaction> begin(
            Connection connection, Deadline deadline, List<String> names, boolean interruptible)
            throws SQLException, InterruptedException {
        Loan loan = Loan.of(connection, sql);
        Optional<RowTransaction> begun = Optional.empty();
        try {
            Pause pause = new Pause(FIRST_PAUSE, LONGEST_PAUSE);
            while (true) {
                Deadline next = interruptible ? deadline.atMost(LOOK_FOR_INTERRUPTS) : deadline;
                try {
                    begun = attempt(loan, next, names);
                    if (begun.isPresent() || next.equals(deadline)) {
                        return begun;
                    }
                } catch (ConflictException failed) {
                    if (deadline.hasPassed()) {
                        return begun;
                    }
                    pause.take(deadline);
                }
                if (interruptible && Thread.interrupted()) {
                    throw new InterruptedException();
                }
                loan.restore();
            }
        } finally {
            if (begun.isEmpty()) {
                loan.giveBack();
            }
        }
    }

    private static final class ConflictException extends Exception {
        private static final long serialVersionUID = 1L;
    }

    private Optional<RowTransaction> attempt(Loan loan, Deadline deadline, List<String> names)
            throws SQLException, ConflictException {
        Vendor vendor = Vendor.of(loan.connection());
        Optional<Map<String, Long>> tokens = Optional.empty();
        try {
            loan.limitAnswers(deadline);
            List<String> unknown = unknown(names);
            if (!unknown.isEmpty()) {
                prepare(loan.connection(), unknown);
            }
            loan.begin();
            tokens = sql.lock(loan.connection(), names, deadline, false);
            loan.unlimitAnswers();
        } catch (SQLException failed) {
            if (vendor.isConflict(failed)) {
                throw new ConflictException();
            }
            throw failed;
        } finally {
            if (tokens.isEmpty()) {
                forget(names);
                loan.rollback();
            }
        }
        return tokens.map(drawn -> new RowTransaction(loan, drawn));
    }

    /** The rows may have been deleted: the next attempt makes them if they are missing. */
    private void forget(List<String> names) {
        names.forEach(known::remove);
    }

    /**
     * Locks within a transaction of yours, until it ends.
     *
     * @param connection with a transaction
     * @return an object that takes locks on this connection; nothing is sent
     */
    public RowLocker in(Connection connection) {
        return new RowLocker() {
            @Override
            public Map<String, Long> lock(String... names) {
                return within(connection, Deadline.never(), sorted(names))
                        .orElseThrow(() -> new LockStoreException("gave up after weeks of waiting"));
            }

            @Override
            public Optional<Map<String, Long>> tryLock(Duration wait, String... names) {
                return within(connection, Deadline.in(wait), sorted(names));
            }
        };
    }

    private Optional<Map<String, Long>> within(Connection connection, Deadline deadline, List<String> names) {
        try {
            if (connection.getAutoCommit()) {
                throw new IllegalStateException(
                        "a row is locked within a transaction; this connection commits by itself");
            }
            if (!prepare(names, deadline)) {
                return Optional.empty();
            }
            Optional<Map<String, Long>> tokens = sql.lock(connection, names, deadline, true);
            if (tokens.isEmpty()) {
                forget(names);
            }
            return tokens;
        } catch (SQLException failed) {
            forget(names);
            throw failure(names, failed);
        }
    }

    /**
     * The lock of this name as a {@link java.util.concurrent.locks.Lock}. Each call makes a new object; two objects of
     * one name exclude each other, even within one thread.
     *
     * @param name of the lock
     * @return an object to be shared by the threads that want it, which then share a connection; nothing is sent
     * @throws IllegalArgumentException if the name breaks a rule, saying which
     */
    public RowLock lock(String name) {
        return new RowLock(this, LockNames.check(name));
    }

    @Override
    public String toString() {
        return "RowLocks[" + sql.table() + "]";
    }

    static LockStoreException failure(List<String> names, SQLException failed) {
        return new LockStoreException("locking the rows " + names + " failed: " + failed.getMessage(), failed);
    }
}
