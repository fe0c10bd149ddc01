package io.wellkeeper.jdbc;

import io.wellkeeper.LockLostException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

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
     * Where to do what the locks protect. Its own {@code commit} and {@code rollback} would give the locks back behind this
     * object's back: use {@link #commit()} and {@link #close()}.
     *
     * @throws IllegalStateException if the transaction has ended
     */
    public Connection connection() {
        checkOpen();
        return loan.connection();
    }

    /** What is locked. */
    public Set<String> names() {
        return tokens.keySet();
    }

    /**
     * The fencing token of a lock, for what it protects outside this database.
     *
     * @param name of the lock
     * @throws IllegalArgumentException if it is not locked here
     */
    public long fencingToken(String name) {
        Long token = tokens.get(name);
        if (token == null) {
            throw new IllegalArgumentException("'" + name + "' is not locked by this transaction");
        }
        return token;
    }

    /**
     * Asks the server whether it still has this transaction; one round trip, at most two seconds.
     *
     * @throws LockLostException if the connection is broken: the server has rolled back, or will
     * @throws IllegalStateException if the transaction has ended
     */
    public void checkHeld() {
        checkOpen();
        try {
            if (loan.connection().isValid((int) PATIENCE.toSeconds())) {
                return;
            }
        } catch (SQLException failed) {
            loan.abort();
            throw lost(failed);
        }
        loan.abort();
        throw lost(null);
    }

    LockLostException lost(@Nullable SQLException failed) {
        LockLostException lost = new LockLostException("the rows " + tokens.keySet()
                + " are locked no more: their connection " + (failed == null ? "is broken" : failed.getMessage()));
        if (failed != null) {
            lost.initCause(failed);
        }
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
     * @throws IllegalStateException if it had ended before
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

    /** Rolls back, unless it was committed, and gives the locks and the connection back. Closing again does nothing. */
    @Override
    public void close() {
        if (open) {
            open = false;
            loan.rollback();
            loan.giveBack();
        }
    }
}
