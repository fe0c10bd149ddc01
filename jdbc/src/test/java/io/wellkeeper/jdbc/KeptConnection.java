package io.wellkeeper.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A kit's own connection to its server, kept between tasks: to make one costs a server more than most tasks do. That to a file
 * is made anew for each, because a store's statements change how long it waits for others.
 */
final class KeptConnection implements AutoCloseable {

    private static final int VALID_SECONDS = 5;

    private final Servers server;
    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable Connection connection;

    /** Something to be done on the connection. */
    interface Task<T> {
        T run(Connection connection) throws SQLException;
    }

    KeptConnection(Servers server) {
        this.server = server;
    }

    /** Runs a task; one at a time. */
    <T> T run(Task<T> task) {
        lock.lock();
        try {
            return task.run(valid());
        } catch (SQLException failed) {
            throw new IllegalStateException(failed);
        } finally {
            lock.unlock();
        }
    }

    private Connection valid() throws SQLException {
        Connection known = connection;
        boolean file = server.port() == 0;
        if (known == null || file || !known.isValid(VALID_SECONDS)) { // the server may have been restarted
            disconnect();
            known = server.connect();
            connection = known;
        }
        return known;
    }

    private void disconnect() throws SQLException {
        Connection known = connection;
        connection = null;
        if (known != null) {
            known.close();
        }
    }

    @Override
    public void close() {
        lock.lock();
        try {
            disconnect();
        } catch (SQLException failed) {
            throw new IllegalStateException(failed);
        } finally {
            lock.unlock();
        }
    }
}
