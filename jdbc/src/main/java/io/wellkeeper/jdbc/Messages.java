package io.wellkeeper.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Receives the messages to one session, on one connection and one thread, and connects again when that breaks. */
final class Messages {

    private static final Duration RETRY = Duration.ofMillis(50);
    private static final Duration REFUSED = Duration.ofSeconds(1); // an operator has to do something first
    private static final Duration ROUND = Duration.ofSeconds(5);
    private static final int ANSWER_MILLIS =
            5_000; // of a server that makes it listen, which may wait for others a while

    /** The session that the messages are for. */
    interface Receiver {

        /** A message has come. */
        void message(String text);

        /** Messages are received again; some may have been missed. */
        void listening();

        /** The connection for messages was lost, and is being made again; told once for each loss. */
        void deaf();
    }

    private final Database database;
    private final Health health;
    private final String session;
    private final Receiver receiver;
    private final ReentrantLock lock = new ReentrantLock(); // guards the two below
    private final Condition ended = lock.newCondition();
    private @Nullable Connection connection;
    private boolean closed;

    Messages(Database database, Health health, String session, Receiver receiver) {
        this.database = database;
        this.health = health;
        this.session = session;
        this.receiver = receiver;
    }

    /**
     * Connects for the first time, on this thread.
     *
     * @throws SQLException if that is not possible; this object is to be closed then
     */
    void start(String name) throws SQLException {
        Dialect.Doorbell bell = connect();
        Thread thread = new Thread(() -> work(bell), name);
        thread.setDaemon(true);
        thread.start();
    }

    private void work(Dialect.Doorbell first) {
        Dialect.Doorbell bell = first;
        boolean isDeaf = false;
        while (!isClosed()) {
            try {
                if (bell == null) {
                    bell = connect();
                    isDeaf = false;
                    receiver.listening();
                    health.sound(Health.Part.MESSAGES);
                }
                bell.await(ROUND).ifPresent(receiver::message);
            } catch (Throwable failure) { // an error of the driver's too: the messages are needed
                bell = null;
                if (!isClosed()) {
                    health.broken(
                            Health.Part.MESSAGES,
                            "the connection for messages from " + database.address() + " was lost: "
                                    + failure.getMessage());
                    disconnect(Requests::abort);
                    if (!isDeaf) {
                        receiver.deaf();
                    }
                    isDeaf = true;
                    pause(Failures.isRefusal(failure) ? REFUSED : RETRY);
                }
            }
        }
        disconnect(Requests::abort);
        health.sound(Health.Part.MESSAGES); // a session that is not to listen misses nothing
    }

    private Dialect.Doorbell connect() throws SQLException {
        Connection made = database.source().connect();
        lock.lock();
        try {
            connection = made;
        } finally {
            lock.unlock();
        }
        made.setNetworkTimeout(Runnable::run, ANSWER_MILLIS);
        return database.dialect().listen(made, database.tables(), session);
    }

    private void pause(Duration length) {
        lock.lock();
        try {
            long left = length.toNanos();
            while (left > 0 && !closed) {
                left = ended.awaitNanos(left);
            }
        } catch (InterruptedException nobodyDoes) {
            Thread.currentThread().interrupt();
        } finally {
            lock.unlock();
        }
    }

    private boolean isClosed() {
        lock.lock();
        try {
            return closed;
        } finally {
            lock.unlock();
        }
    }

    /** Drops the connection, so that another is made. */
    void listenAgain() {
        disconnect(Requests::abortElsewhere);
    }

    /** A connection that listens is of no use to anybody else, so it is not given back to a pool. */
    private void disconnect(Consumer<Connection> how) {
        Connection last;
        lock.lock();
        try {
            last = connection;
            connection = null;
        } finally {
            lock.unlock();
        }
        if (last != null) {
            how.accept(last);
        }
    }

    void close() {
        lock.lock();
        try {
            closed = true;
            ended.signalAll();
        } finally {
            lock.unlock();
        }
        disconnect(Requests::abortElsewhere);
    }
}
