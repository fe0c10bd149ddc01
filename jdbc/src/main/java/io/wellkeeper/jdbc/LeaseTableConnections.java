package io.wellkeeper.jdbc;

import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The connections of a store of leases, each lent to one borrower at a time. When none is idle, another is made on a
 * thread of its own, and a waiting borrower takes the first that comes: the new one or one that is given back. So a
 * data source that gives no second connection, or not soon, delays nobody while there is a first.
 *
 * @param <C> a connection
 */
final class LeaseTableConnections<C> {

    private final Source<C> source;
    private final Consumer<C> ending;
    private final ReentrantLock lock = new ReentrantLock(); // guards all below
    private final Condition changed = lock.newCondition();
    private final Deque<C> idle = new ArrayDeque<>();
    private final Set<C> lent = new HashSet<>();
    private boolean connecting;
    private @Nullable Throwable failure; // of an attempt that a borrower waits for, if nothing has changed since
    private @Nullable Throwable trouble; // of the last attempt
    private int waiting;
    private boolean closed;

    /** Makes connections, and may take as long as it likes. */
    interface Source<C> {
        C connect() throws SQLException;
    }

    /**
     * @param ending breaks a connection, without waiting for the server
     */
    LeaseTableConnections(Source<C> source, Consumer<C> ending) {
        this.source = source;
        this.ending = ending;
    }

    /**
     * A connection, to be given back or dropped.
     *
     * @param deadline by {@code System.nanoTime}
     * @throws SQLException if none can be made and there is no other, or none was to be had in time
     */
    C lend(long deadline) throws SQLException {
        lock.lock();
        try {
            waiting++;
            while (!closed) {
                @Nullable C next = idle.poll();
                if (next != null) {
                    lent.add(next);
                    return next;
                }
                Throwable failed = failure;
                if (failed == null) {
                    connect();
                } else if (lent.isEmpty()) {
                    failure = null; // the next one tries again
                    throw failed instanceof SQLException known ? known : new SQLException(failed);
                }
                long left = deadline - System.nanoTime();
                if (left <= 0) {
                    throw new SQLTransientConnectionException("there was no connection in time", trouble);
                }
                changed.awaitNanos(left);
            }
            throw new SQLTransientConnectionException("the store was closed");
        } catch (InterruptedException nobodyDoes) {
            Thread.currentThread().interrupt();
            throw new SQLTransientConnectionException("interrupted", nobodyDoes);
        } finally {
            waiting--;
            failure = waiting == 0 ? null : failure;
            lock.unlock();
        }
    }

    /** The lock is held. */
    private void connect() {
        if (!connecting) {
            connecting = true;
            Thread thread = new Thread(this::connectNow, "wellkeeper-jdbc-lease-connect");
            thread.setDaemon(true);
            thread.start();
        }
    }

    private void connectNow() {
        @Nullable C made = null;
        @Nullable Throwable failed = null;
        try {
            made = source.connect();
        } catch (Throwable refused) { // a driver that is missing makes for an Error
            failed = refused;
        }
        lock.lock();
        try {
            connecting = false;
            failure = waiting > 0 ? failed : null;
            trouble = failed;
            if (made != null && !closed) {
                idle.add(made);
                made = null;
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        if (made != null) {
            ending.accept(made);
        }
    }

    /** Takes back a connection that is good for others. */
    void giveBack(C connection) {
        boolean over;
        lock.lock();
        try {
            over = closed;
            settle(connection);
            if (!over) {
                idle.add(connection);
            }
        } finally {
            lock.unlock();
        }
        if (over) {
            ending.accept(connection);
        }
    }

    /** Takes back and ends a connection that is of no more use. */
    void drop(C connection) {
        lock.lock();
        try {
            settle(connection);
        } finally {
            lock.unlock();
        }
        ending.accept(connection);
    }

    /** The lock is held. */
    private void settle(C connection) {
        lent.remove(connection);
        failure = null;
        changed.signalAll();
    }

    /** Ends all connections that are not lent. */
    void dropIdle() {
        List<C> all;
        lock.lock();
        try {
            all = new ArrayList<>(idle);
            idle.clear();
        } finally {
            lock.unlock();
        }
        all.forEach(ending);
    }

    /** Ends all connections, also those that are lent. */
    void close() {
        List<C> all;
        lock.lock();
        try {
            closed = true;
            all = new ArrayList<>(lent);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        all.forEach(ending);
        dropIdle();
    }
}
