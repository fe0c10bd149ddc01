package io.wellkeeper.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;

/**
 * A connection for one transaction, to be given back as it was.
 *
 * @param connection of a data source
 * @param autoCommit how it was
 * @param networkTimeout how it was
 * @param sql what limits its idleness
 */
record Loan(Connection connection, boolean autoCommit, int networkTimeout, RowSql sql) {

    private static final Duration PATIENCE = Duration.ofSeconds(5); // with a late answer

    static Loan of(Connection connection, RowSql sql) throws SQLException {
        boolean fit = false;
        try {
            Loan loan = new Loan(connection, connection.getAutoCommit(), connection.getNetworkTimeout(), sql);
            fit = true;
            return loan;
        } finally {
            if (!fit) {
                Requests.abort(connection);
            }
        }
    }

    /** From now on the driver waits for an answer only a little longer than to the deadline, if the network is dead. */
    void limitAnswers(Deadline deadline) throws SQLException {
        setNetworkTimeout((int) deadline.remaining().plus(PATIENCE).toMillis());
    }

    void unlimitAnswers() throws SQLException {
        setNetworkTimeout(networkTimeout);
    }

    /** Whether the transaction has the rows locked that it drew these tokens for, by an answer within the time. */
    boolean has(Map<String, Long> tokens, Duration patience) throws SQLException {
        setNetworkTimeout((int) patience.toMillis());
        boolean has = sql.has(connection, tokens);
        unlimitAnswers();
        return has;
    }

    private void setNetworkTimeout(int millis) throws SQLException {
        connection.setNetworkTimeout(Runnable::run, millis);
    }

    void begin() throws SQLException {
        connection.setAutoCommit(true);
        sql.limitIdle(connection);
        connection.setAutoCommit(false);
    }

    /** Rolls back without waiting for a dead network. */
    void abort() {
        try {
            connection.abort(Runnable::run);
        } catch (SQLException broken) {
            // it is of no use any more in any case
        }
    }

    void rollback() {
        try {
            connection.rollback();
        } catch (SQLException broken) {
            // a broken connection is closed next, and what it did is rolled back by the server
        }
    }

    /** Makes the connection as it was, with no transaction. */
    void restore() throws SQLException {
        connection.setAutoCommit(true);
        sql.restoreIdle(connection);
        connection.setAutoCommit(autoCommit);
        unlimitAnswers();
    }

    void giveBack() {
        try (connection) {
            restore();
        } catch (SQLException broken) {
            // nothing of this transaction is left on a connection that is broken
        }
    }
}
