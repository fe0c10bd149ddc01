package io.wellkeeper.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.UUID;

/** A connection that holds locks of the database's session. For one thread; others only abort it. */
final class NativeConnection {

    private static final int SHORTEST_PATIENCE_MILLIS = 1500;

    private final Connection connection;
    private final NativeDialect dialect;
    private final String mark = UUID.randomUUID().toString();
    private Duration silence;
    private long lastSign; // when the last statement that was answered was sent

    private NativeConnection(Connection connection, NativeDialect dialect, Duration silence) {
        this.connection = connection;
        this.dialect = dialect;
        this.silence = silence;
    }

    /**
     * Connects.
     *
     * @param silence after which the server shall end the session
     */
    static NativeConnection open(Database.Source source, Duration silence) throws SQLException {
        Connection made = source.connect();
        boolean fit = false;
        try {
            made.setAutoCommit(true);
            NativeConnection result = new NativeConnection(made, NativeDialect.of(made), silence);
            result.setPatience();
            result.dialect.check(made);
            result.dialect.mark(made, result.mark);
            result.limit(silence);
            fit = true;
            return result;
        } finally {
            if (!fit) {
                Requests.abort(made);
            }
        }
    }

    /** Makes the server bear a silence of another length. */
    void limit(Duration length) throws SQLException {
        silence = length;
        setPatience();
        dialect.limit(connection, length);
        pulse();
    }

    /**
     * Sets how long the driver waits for an answer. To give up earlier has no use: without the connection all locks are
     * lost.
     */
    private void setPatience() throws SQLException {
        connection.setNetworkTimeout(Runnable::run, (int)
                Math.max(SHORTEST_PATIENCE_MILLIS, silence.dividedBy(2).toMillis()));
    }

    Duration silence() {
        return silence;
    }

    long lastSign() {
        return lastSign;
    }

    /** What the database calls a lock. */
    String key(String name) {
        return dialect.key(name);
    }

    boolean tryLock(String key) throws SQLException {
        long now = System.nanoTime();
        boolean got = dialect.tryLock(connection, mark, key);
        lastSign = now;
        return got;
    }

    /**
     * Gives a lock back.
     *
     * @throws SQLException also if this session did not have the lock, though it ought to
     */
    void unlock(String key) throws SQLException {
        long now = System.nanoTime();
        if (!dialect.unlock(connection, mark, key)) {
            throw NativeDialect.notOurs();
        }
        lastSign = now;
    }

    /** Sends the server a sign of life. */
    void pulse() throws SQLException {
        long now = System.nanoTime();
        dialect.pulse(connection, mark);
        lastSign = now;
    }

    /**
     * Ends the session, without waiting for the server. A pool does not get the connection back, as that holds locks.
     */
    void abort() {
        Requests.abort(connection);
    }
}
