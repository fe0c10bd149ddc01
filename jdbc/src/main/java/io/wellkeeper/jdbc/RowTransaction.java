package io.wellkeeper.jdbc;

import io.wellkeeper.LockLostException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.Set;

/** A transaction that has rows locked, see {@link RowLocks}. As thread-safe as its connection: use it in one thread. */
public final class RowTransaction implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(2);

    private final Loan loan;
    private final Map<String, Long> tokens;
    private boolean open = true;

    RowTransaction(Loan loan, Map<String, Long> tokens) {
        this.loan = loan;
        this.tokens = Map.copyOf(tokens);
    }

    /**
     * {@return the connection on which to do what the locks protect} Do not call its own {@code commit} and
     * {@code rollback}, which give the locks back without this object's knowing: use {@link #commit()} and
     * {@link #close()}.
     *
     * @throws IllegalStateException if the transaction has ended
     */
    public Connection connection() {
        checkOpen();
        return loan.connection();
    }

    /** {@return the names of the locks} */
    public Set<String> names() {
        return tokens.keySet();
    }

    /**
     * The fencing token of a lock, for what it protects outside this database.
     *
     * @param name of the lock
     * @return the token, which grows with each transaction that locks that name, as {@link RowLocks} says; no round
     *     trip
     * @throws IllegalArgumentException if that name is not locked here
     */
    public long fencingToken(String name) {
        Long token = tokens.get(name);
        if (token == null) {
            throw new IllegalArgumentException("'" + name + "' is not locked by this transaction");
        }
        return token;
    }

    /**
     * Asks the server whether it still has this transaction; one round trip, at most two seconds. After a statement that
     * failed the transaction may be gone: PostgreSQL releases the locks then, and MySQL and MariaDB roll back after a
     * deadlock. This does not notice a commit without this object's knowing, such as MySQL and MariaDB make before they
     * change the definition of a table.
     *
     * @throws LockLostException if the connection is broken or has been rolled back; then nothing can be done on it any more
     * @throws IllegalStateException if the transaction has ended
     */
    public void checkHeld() {
        checkOpen();
        boolean held = false;
        try {
            held = loan.has(tokens, PATIENCE);
            if (!held) {
                throw lost(new SQLException("it was rolled back"));
            }
        } catch (SQLException failed) {
            throw lost(failed);
        } finally {
            if (!held) {
                loan.abort();
            }
        }
    }

    @Override
    public String toString() {
        return "RowTransaction[" + tokens.keySet() + (open ? ", open]" : ", ended]");
    }

    LockLostException lost(SQLException failed) {
        LockLostException lost = new LockLostException(
                "the rows " + tokens.keySet() + " are locked no more by their transaction: " + failed.getMessage());
        lost.initCause(failed);
        return lost;
    }

    private void checkOpen() {
        if (!open) {
            throw new IllegalStateException("the transaction has ended");
        }
    }

    /**
     * Commits, and gives the locks back.
     *
     * @throws SQLException what the driver says; the transaction has ended all the same
     * @throws IllegalStateException if the transaction had ended before
     */
    public void commit() throws SQLException {
        checkOpen();
        open = false;
        try {
            loan.connection().commit();
        } catch (SQLException failed) {
            loan.rollback();
            throw failed;
        } finally {
            loan.giveBack();
        }
    }

    /**
     * Rolls back, unless this was committed, and gives the locks and the connection back. Closing again does nothing.
     */
    @Override
    public void close() {
        if (open) {
            open = false;
            loan.rollback();
            loan.giveBack();
        }
    }
}
