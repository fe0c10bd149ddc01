package io.wellkeeper.jdbc;

import io.wellkeeper.LockStoreException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Carries requests out one after the other, in the order in which they came, on one connection and one thread. What other
 * transactions are in the way of for too long goes back, behind the heartbeats and whatever is asked about other locks. What was
 * not answered because the connection broke is sent again on the next one, after the server has been told to drop the
 * old one: so nothing is carried out late. A server that refuses another connection is asked again for as long as the
 * session may live, because nobody knows what was carried out; after that the session has ended.
 */
final class Requests {

    private static final Duration RETRY = Duration.ofMillis(50);
    private static final int TRIES = 20; // of a request that other transactions are in the way of
    private static final int SHORTEST_PATIENCE_MILLIS = 400;
    private static final long EXCHANGE_NANOS = 20_000;

    /**
     * One request.
     *
     * @param tries in which other transactions were in its way
     */
    private record Open(Step step, Map<String, ?> parameters, CompletableFuture<List<Object[]>> result, int tries) {

        Open again() {
            return new Open(step, parameters, result, tries + 1);
        }

        boolean isAboutTheSame(Open other) {
            return Objects.equals(parameters.get("name"), other.parameters.get("name"));
        }

        /** Whether a request that came later goes first, when this one has to be tried again. */
        boolean isOvertakenBy(Open later) {
            return later.step == Step.HEARTBEAT || parameters.containsKey("name") && !isAboutTheSame(later);
        }

        /** Whether this gives a ticket of the session's own back, and the next one takes another of the same lock. */
        boolean isExchangedBy(Open next) {
            return step == Step.REMOVE
                    && next.step == Step.TAKE
                    && Objects.equals(parameters.get("owner"), parameters.get("me"))
                    && isAboutTheSame(next);
        }
    }

    private final Database database;
    private final Health health;
    private final String session;
    private final int patienceMillis; // with an answer
    private final long timeoutNanos; // of the session
    private final Runnable connectedAgain;
    private final Runnable lost;
    private final ReentrantLock lock = new ReentrantLock(); // guards the line and what is below it
    private final Condition changed = lock.newCondition();
    private final Deque<Open> line = new ArrayDeque<>();
    private boolean closed;
    private boolean working; // there is a thread
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
        this.patienceMillis = (int) Math.max(SHORTEST_PATIENCE_MILLIS, patience.toMillis());
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
        return health.ended() ? CompletableFuture.failedFuture(health.refusal()) : send(step, parameters, false);
    }

    /** As {@link #run}, before all others. */
    CompletableFuture<List<Object[]>> runFirst(Step step, Map<String, ?> parameters) {
        return health.ended() ? CompletableFuture.failedFuture(health.refusal()) : send(step, parameters, true);
    }

    /** As {@link #run}, also after the end of the session. */
    CompletableFuture<List<Object[]>> runAnyway(Step step, Map<String, ?> parameters) {
        return send(step, parameters, false);
    }

    private CompletableFuture<List<Object[]>> send(Step step, Map<String, ?> parameters, boolean first) {
        Open request = new Open(step, parameters, new CompletableFuture<>(), 0);
        lock.lock();
        try {
            if (!closed) {
                if (first) {
                    line.addFirst(request);
                } else {
                    line.addLast(request);
                }
                changed.signal();
                return request.result;
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
                if (second == null && !serve(request)) {
                    putBack(List.of(request));
                } else if (second != null && !serve(request, second)) {
                    putBack(List.of(request, second));
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
     * What can be carried out together with a request, because it is next; null if nothing. Whoever gives a lock back and
     * takes it again does so within a few microseconds, for which it is worth waiting.
     */
    private @Nullable Open partner(Open request) {
        if (request.step != Step.REMOVE) {
            return null;
        }
        long begin = System.nanoTime();
        do {
            lock.lock();
            try {
                if (!line.isEmpty()) {
                    return request.isExchangedBy(line.peek()) ? line.poll() : null;
                }
            } finally {
                lock.unlock();
            }
            Thread.onSpinWait();
        } while (System.nanoTime() - begin < EXCHANGE_NANOS);
        return null;
    }

    /**
     * Other transactions were in the way of these: so heartbeats go first now, and what is asked about other locks. What is
     * about no lock in particular lets only heartbeats pass.
     */
    private void putBack(List<Open> requests) {
        List<Open> before = new ArrayList<>();
        List<Open> behind = new ArrayList<>();
        Open first = requests.get(0);
        lock.lock();
        try {
            for (Open each : line) {
                (first.isOvertakenBy(each) ? before : behind).add(each);
            }
            line.clear();
            line.addAll(before);
            requests.forEach(each -> line.add(each.again()));
            line.addAll(behind);
        } finally {
            lock.unlock();
        }
    }

    /** False if other transactions were in the way, and it is to be tried again. */
    private boolean serve(Open request) {
        return serve(
                request.tries,
                by -> database.statements().run(by, request.step, request.parameters),
                request.result::complete,
                request.result::completeExceptionally);
    }

    private boolean serve(Open removal, Open taking) {
        Map<String, Object> parameters = new HashMap<>(removal.parameters);
        parameters.putAll(taking.parameters);
        return serve(
                Math.max(removal.tries, taking.tries),
                by -> database.statements().exchange(by, parameters),
                both -> {
                    removal.result.complete(both.removed());
                    taking.result.complete(both.taken());
                },
                failure -> {
                    removal.result.completeExceptionally(failure);
                    taking.result.completeExceptionally(failure);
                });
    }

    private interface Work<T> {
        T run(Connection by) throws SQLException;
    }

    private <T> boolean serve(int tries, Work<T> work, Consumer<T> done, Consumer<RuntimeException> failed) {
        for (int connections = 1; !isClosed(); connections++) {
            try {
                Connection by = connection;
                if (by == null) {
                    by = connect();
                    health.sound(Health.Part.REQUESTS);
                    connectedAgain.run();
                }
                done.accept(work.run(by));
                return true;
            } catch (SQLException failure) {
                Dialect.Remedy remedy = database.dialect().remedy(failure);
                if (connection == null && (remedy == Dialect.Remedy.REPORT || Failures.isRefusal(failure))) {
                    if (System.nanoTime() - brokenSince >= timeoutNanos) {
                        lost.run();
                        failed.accept(health.refusal());
                        return true;
                    }
                    remedy = Dialect.Remedy.RECONNECT;
                }
                boolean isLast = switch (remedy) {
                    case REPEAT -> tries + 1 >= TRIES;
                    case RECONNECT -> false;
                    case RECONNECT_ONCE -> connections > 1;
                    case REPORT -> true;
                };
                if (isLast) {
                    failed.accept(failure(failure));
                    return true;
                }
                if (remedy == Dialect.Remedy.REPEAT) {
                    pause(ThreadLocalRandom.current().nextLong(1, 10));
                    return false;
                }
                leave(failure);
                pause(RETRY.toMillis());
            } catch (Throwable failure) { // of a driver that is not there, or not whole
                failed.accept(Failures.answer(database.address(), failure));
                return true;
            }
        }
        failed.accept(health.refusal());
        return true;
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

    private boolean isClosed() {
        lock.lock();
        try {
            return closed;
        } finally {
            lock.unlock();
        }
    }

    private void refuseAll() {
        List<Open> unanswered;
        lock.lock();
        try {
            unanswered = new ArrayList<>(line);
            line.clear();
        } finally {
            lock.unlock();
        }
        unanswered.forEach(request -> request.result.completeExceptionally(health.refusal()));
    }

    /** Ends it; what has not been answered is refused. */
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
            abort(last);
        }
    }

    /** Breaks a connection, without waiting for its server; a pool must not lend it with its settings to others. */
    static void abort(Connection connection) {
        try (connection) { // not every driver has anything to abort
            connection.abort(Runnable::run);
            connection.createStatement().execute("SELECT 1"); // in vain, from which a pool learns that it is broken
        } catch (SQLException | RuntimeException broken) { // a pool that is being closed throws what it likes
            // it is gone
        }
    }
}
