package io.wellkeeper.jdbc;

import io.wellkeeper.LockStoreException;
import io.wellkeeper.jdbc.OpenRequests.Open;
import io.wellkeeper.jdbc.OpenRequests.Outcome;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Carries requests out one after the other, in the order of {@link OpenRequests}, on one connection and one thread. A
 * request goes back to that line if other transactions are in its way for too long. It also goes back if it was not
 * answered because the connection broke or was too slow. Then it is sent again on the next connection, after the server
 * has been told to drop the old one, so that nothing is carried out late. A request that may be given up fails when
 * this has happened too often. If the server refuses another connection, it is asked again for as long as the session
 * may live, because nobody knows which requests were carried out. After that the session has ended.
 */
final class Requests {

    private static final Duration RETRY = Duration.ofMillis(50);
    private static final int TRIES =
            20; // of a request that other transactions are in the way of, or that breaks connections
    private static final int SHORTEST_PATIENCE_MILLIS = 400;
    private static final int LONGEST_PATIENCE_MILLIS = 86_400_000; // drivers and servers count them in 31 bits
    private static final long EXCHANGE_NANOS = 20_000;

    private final Database database;
    private final Health health;
    private final String session;
    private final int patienceMillis; // with an answer
    private final long timeoutNanos; // of the session
    private final Runnable connectedAgain;
    private final Runnable lost;
    private final ReentrantLock lock = new ReentrantLock(); // guards the line and the two fields below it
    private final Condition changed = lock.newCondition();
    private final OpenRequests line = new OpenRequests();
    private boolean closed;
    private boolean working; // the thread runs
    private volatile @Nullable Connection connection; // of the thread; others only abort it
    private String serverName = ""; // of the last connection; used by the thread only
    private long brokenSince; // used by the thread only

    /**
     * @param patience with an answer
     * @param timeout of the session
     * @param connectedAgain run when requests go through again
     * @param lost run when the server has refused a connection for so long that the session must have ended
     */
    Requests(
            Database database,
            Health health,
            String session,
            Duration patience,
            Duration timeout,
            Runnable connectedAgain,
            Runnable lost) {
        this.database = database;
        this.health = health;
        this.session = session;
        this.timeoutNanos = timeout.toNanos();
        this.connectedAgain = connectedAgain;
        this.lost = lost;
        this.patienceMillis =
                (int) Math.max(SHORTEST_PATIENCE_MILLIS, Math.min(LONGEST_PATIENCE_MILLIS, patience.toMillis()));
    }

    /**
     * Connects for the first time, on this thread.
     *
     * @throws SQLException if that is not possible
     */
    void start(String name) throws SQLException {
        Connection first = connect();
        try {
            database.dialect().createTables(first, database.tables());
        } catch (SQLException | RuntimeException failed) {
            abort(first);
            throw failed;
        }
        working = true;
        Thread thread = new Thread(this::work, name);
        thread.setDaemon(true);
        thread.start();
    }

    /** Has a step carried out, once or more often. */
    CompletableFuture<List<Object[]>> run(Step step, Map<String, ?> parameters) {
        return health.ended() ? CompletableFuture.failedFuture(health.refusal()) : runAnyway(step, parameters);
    }

    /** As {@link #run}, also after the end of the session. */
    CompletableFuture<List<Object[]>> runAnyway(Step step, Map<String, ?> parameters) {
        lock.lock();
        try {
            if (!closed) {
                changed.signal();
                return line.add(step, parameters);
            }
        } finally {
            lock.unlock();
        }
        return CompletableFuture.failedFuture(health.refusal());
    }

    private void work() {
        try {
            for (Open request = next(); request != null; request = next()) {
                Open second = partner(request);
                long begin = System.nanoTime();
                Outcome outcome = second == null ? serve(request) : serve(request, second);
                if (outcome != Outcome.ANSWERED) {
                    putBack(request, second, outcome, System.nanoTime() - begin);
                }
            }
        } finally {
            lock.lock();
            try {
                working = false;
                closed = true;
            } finally {
                lock.unlock();
            }
            Connection last = connection;
            if (last != null) {
                abort(last);
            }
            refuseAll();
        }
    }

    private @Nullable Open next() {
        lock.lock();
        try {
            while (line.isEmpty() && !closed) {
                changed.awaitUninterruptibly();
            }
            return closed ? null : line.poll();
        } finally {
            lock.unlock();
        }
    }

    /**
     * The next request, if it can be carried out together with this one; else null. A client that gives a lock back and
     * takes it again does so within a few microseconds, which are worth waiting for.
     */
    private @Nullable Open partner(Open request) {
        if (request.step() != Step.REMOVE) {
            return null;
        }
        long begin = System.nanoTime();
        do {
            lock.lock();
            try {
                if (!line.isEmpty()) {
                    return line.pollExchangeOf(request);
                }
            } finally {
                lock.unlock();
            }
            Thread.onSpinWait();
        } while (System.nanoTime() - begin < EXCHANGE_NANOS);
        return null;
    }

    private void putBack(Open request, @Nullable Open second, Outcome outcome, long spentNanos) {
        lock.lock();
        try {
            if (second != null) {
                line.putBack(second, outcome, spentNanos);
            }
            line.putBack(request, outcome, spentNanos);
        } finally {
            lock.unlock();
        }
    }

    private Outcome serve(Open request) {
        return serve(
                request,
                by -> database.statements().run(by, request.step(), request.parameters()),
                request.result()::complete,
                request.result()::completeExceptionally);
    }

    private Outcome serve(Open removal, Open taking) {
        Map<String, Object> parameters = new HashMap<>(removal.parameters());
        parameters.putAll(taking.parameters());
        return serve(
                removal.tries() > taking.tries() ? removal : taking,
                by -> database.statements().exchange(by, parameters),
                both -> {
                    removal.result().complete(both.removed());
                    taking.result().complete(both.taken());
                },
                failure -> {
                    removal.result().completeExceptionally(failure);
                    taking.result().completeExceptionally(failure);
                });
    }

    private interface Work<T> {
        T run(Connection by) throws SQLException;
    }

    private <T> Outcome serve(Open request, Work<T> work, Consumer<T> done, Consumer<RuntimeException> failed) {
        try {
            Connection by = connection;
            if (by == null) {
                by = connect();
                health.sound(Health.Part.REQUESTS);
                connectedAgain.run();
            }
            done.accept(work.run(by));
            return Outcome.ANSWERED;
        } catch (SQLException failure) {
            return afterFailure(request, failure, failed);
        } catch (Throwable failure) { // such as an error of a driver that is missing or incomplete
            if (connection != null) { // it may be in the midst of a transaction
                leave(new SQLException(failure));
            }
            failed.accept(Failures.answer(database.address(), failure));
            return Outcome.ANSWERED;
        }
    }

    /** Prepares the next attempt, on another connection if need be; or fails the request, if there is to be none. */
    private Outcome afterFailure(Open request, SQLException failure, Consumer<RuntimeException> failed) {
        Outcome outcome = connection == null ? Outcome.UNREACHABLE : Outcome.BROKEN;
        Dialect.Remedy remedy = database.dialect().remedy(failure);
        if (outcome == Outcome.UNREACHABLE && (remedy == Dialect.Remedy.REPORT || Failures.isRefusal(failure))) {
            if (System.nanoTime() - brokenSince >= timeoutNanos) {
                lost.run();
                failed.accept(health.refusal());
                return Outcome.ANSWERED;
            }
            remedy = Dialect.Remedy.RECONNECT;
        }
        boolean isLast = switch (remedy) {
            case REPEAT -> request.tries() + 1 >= TRIES;
            case RECONNECT ->
                request.step().mayBeGivenUp() && outcome == Outcome.BROKEN && request.broken() + 1 >= TRIES;
            case RECONNECT_ONCE -> request.broken() > 0;
            case REPORT -> true;
        };
        if (isLast) {
            failed.accept(failure(failure));
            return Outcome.ANSWERED;
        }
        if (remedy == Dialect.Remedy.REPEAT) {
            pause(ThreadLocalRandom.current().nextLong(1, 10));
            return Outcome.IN_THE_WAY;
        }
        leave(failure);
        pause(RETRY.toMillis());
        return outcome;
    }

    private Connection connect() throws SQLException {
        Connection made = database.source().connect();
        boolean fit = false;
        try {
            made.setNetworkTimeout(Runnable::run, patienceMillis);
            String name =
                    database.dialect().prepare(made, database.tables(), session, Duration.ofMillis(patienceMillis / 2));
            if (!serverName.isEmpty()) {
                database.dialect().end(made, serverName);
            }
            database.statements().prepare(made);
            serverName = name;
            connection = made;
            fit = true;
            return made;
        } finally {
            if (!fit) {
                abort(made);
            }
        }
    }

    private void leave(SQLException why) {
        Connection broken = connection;
        connection = null;
        if (broken != null) {
            brokenSince = System.nanoTime();
            abort(broken);
        }
        health.broken(Health.Part.REQUESTS, failure(why).getMessage() + "");
    }

    LockStoreException failure(SQLException failure) {
        return Failures.answer(database.address(), failure);
    }

    private void pause(long millis) {
        lock.lock();
        try {
            long left = Duration.ofMillis(millis).toNanos();
            while (left > 0 && !closed) {
                left = changed.awaitNanos(left);
            }
        } catch (InterruptedException nobodyDoes) {
            Thread.currentThread().interrupt();
        } finally {
            lock.unlock();
        }
    }

    private void refuseAll() {
        List<Open> unanswered;
        lock.lock();
        try {
            unanswered = line.clear();
        } finally {
            lock.unlock();
        }
        unanswered.forEach(request -> request.result().completeExceptionally(health.refusal()));
    }

    /** Ends the thread; requests that have not been answered are refused. */
    void close() {
        boolean idle;
        lock.lock();
        try {
            closed = true;
            idle = !working;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        Connection last = connection;
        if (idle && last != null) {
            abortElsewhere(last);
        }
    }

    /**
     * As {@link #abort}, on a thread of its own: to break a connection that another thread uses, some drivers ask the
     * server, and a silent server would hold up the alarms of all stores.
     */
    static void abortElsewhere(Connection connection) {
        Thread thread = new Thread(() -> abort(connection), "wellkeeper-jdbc-abort");
        thread.setDaemon(true);
        thread.start();
    }

    /** Breaks a connection, without waiting for its server; a pool must not lend it with its settings to others. */
    static void abort(Connection connection) {
        try (connection) { // closed too, as not every driver can abort
            connection.abort(Runnable::run);
            connection.createStatement().execute("SELECT 1"); // fails, so that a pool learns that it is broken
        } catch (SQLException | RuntimeException broken) { // a pool that is being closed throws what it likes
            // it is gone
        } finally {
            SqliteFile.forget(connection);
        }
    }
}
