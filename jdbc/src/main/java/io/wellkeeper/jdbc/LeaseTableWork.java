package io.wellkeeper.jdbc;

import io.wellkeeper.LockStoreException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.PriorityBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Carries requests out on two threads with a connection each. Acquisitions of one lock are carried out in the order of
 * the calls. Renewals and releases go before acquisitions, also before those of the same lock. Among them, those go
 * first whose row was free at the last attempt. Of the renewals and releases that have found their row busy and are
 * tried again, one at a time goes before acquisitions, and the others go behind them (see {@link #rankAgain}). Only
 * that one waits for its row as long as an acquisition does; the others wait for a fifth of a second at most, and
 * longer only in MySQL, which knows no shorter time than a second. So rows that other clients keep busy delay no other
 * request for long. A request that finds its connection dead, where the connection was good before, is sent once more
 * on a new one. A request that cannot be answered within its patience fails when its turn comes.
 */
final class LeaseTableWork {

    private static final int THREADS = 2;
    private static final int FIRST = 0; // ranks in the line for the threads
    private static final int BEHIND_OTHERS = 1;
    private static final int LAST = 2;
    private static final int MOST_BUSY = 10_000;
    private static final long IDLE_SECONDS = 10; // of a thread
    private static final long LAST_MILLIS = 10; // of a thread that is idle, after the store was closed
    private static final Duration PREPARING = Duration.ofSeconds(5);
    private static final long LONGEST_PAUSE_NANOS = Duration.ofMillis(10).toNanos();

    /**
     * @param grain the resolution of the table's times, in microseconds: the table may cut off the rest
     * @param file of SQLite; null of others
     * @param proven whether it has served a request and stayed sound
     */
    private record Used(
            Connection connection,
            LeaseTableDialect dialect,
            boolean carriesAnyText,
            long grain,
            @Nullable SqliteFile file,
            AtomicBoolean proven) {

        /** Sets how long the network may be silent, and checks that a file is still the one that others open. */
        void begin(Duration patience) throws SQLException {
            dialect.limit(connection, patience);
            if (file != null) {
                file.check();
            }
        }
    }

    /**
     * @param last why the request has not been answered yet
     */
    private record Request(
            String lock,
            LeaseTableStep step,
            Map<String, ?> parameters,
            long deadline,
            CompletableFuture<Long> result,
            SQLException last) {

        Request after(SQLException failure) {
            return new Request(lock, step, parameters, deadline, result, failure);
        }
    }

    /**
     * @param rank the smaller goes first
     * @param number by which turns of one rank are ordered
     */
    private record Turn(int rank, long number, Runnable task) implements Runnable, Comparable<Turn> {

        @Override
        public void run() {
            task.run();
        }

        @Override
        public int compareTo(Turn other) {
            return rank == other.rank ? Long.compare(number, other.number) : Integer.compare(rank, other.rank);
        }
    }

    private static final CompletableFuture<?> NOTHING = CompletableFuture.completedFuture(null);

    private final Database.Source source;
    private final String address;
    private final LeaseTableLayout layout;
    private final ThreadPoolExecutor threads;
    private final LeaseTableConnections<Used> connections;
    private final Map<String, CompletableFuture<?>> last =
            new ConcurrentHashMap<>(); // by lock; complete when all requests are answered that an acquisition awaits
    private final Set<String> busy = ConcurrentHashMap.newKeySet(); // own locks whose rows others had
    private final AtomicReference<@Nullable CompletableFuture<Long>> preferred =
            new AtomicReference<>(); // the one repeated request that goes before acquisitions
    private final AtomicLong turns = new AtomicLong();
    private volatile boolean closed;

    LeaseTableWork(Database.Source source, String address, LeaseTableLayout layout) {
        this.source = source;
        this.address = address;
        this.layout = layout;
        this.connections = new LeaseTableConnections<>(this::connect, used -> Requests.abort(used.connection));
        this.threads = new ThreadPoolExecutor(
                THREADS, THREADS, IDLE_SECONDS, TimeUnit.SECONDS, new PriorityBlockingQueue<>(), task -> {
                    Thread thread = new Thread(task, "wellkeeper-jdbc-lease");
                    thread.setDaemon(true);
                    return thread;
                });
        threads.allowCoreThreadTimeOut(true);
    }

    String address() {
        return address;
    }

    /**
     * Has a step carried out, once or more often. An acquisition is sent when the earlier acquisitions and releases of
     * the lock have been answered. A renewal or a release waits for none of them.
     */
    CompletableFuture<Long> run(String lock, LeaseTableStep step, Map<String, ?> parameters, Duration patience) {
        CompletableFuture<Long> result = new CompletableFuture<>();
        SQLException waited = new SQLTransientException("nothing in time to the requests before this one");
        Request request = new Request(lock, step, parameters, System.nanoTime() + patience.toNanos(), result, waited);
        CompletableFuture<?> before = step == LeaseTableStep.RENEW ? NOTHING : queue(lock, result);
        (step == LeaseTableStep.ACQUIRE ? before : NOTHING)
                .whenComplete((answered, failure) -> submit(request, rank(request)));
        return result;
    }

    /**
     * Has later acquisitions of the lock wait for this request, too; returns what an acquisition in its place waits
     * for.
     */
    private CompletableFuture<?> queue(String lock, CompletableFuture<Long> request) {
        CompletableFuture<Void> all = new CompletableFuture<>();
        CompletableFuture<?> before = Objects.requireNonNullElse(last.put(lock, all), NOTHING);
        CompletableFuture.allOf(before, request).whenComplete((answered, failure) -> {
            last.remove(lock, all);
            all.complete(null);
        });
        return before;
    }

    private int rank(Request request) {
        if (request.step == LeaseTableStep.ACQUIRE) {
            return LAST;
        }
        return busy.contains(request.lock) ? BEHIND_OTHERS : FIRST;
    }

    /**
     * The rank of a request that is tried again. One renewal or release at a time goes before acquisitions: more of
     * them would keep all threads waiting for rows. In SQLite, whoever writes to the file is in everybody's way, so all
     * renewals and releases keep their rank, and go first as soon as that writer is done.
     */
    private int rankAgain(Used used, Request request) {
        if (used.file != null || request.step == LeaseTableStep.ACQUIRE) {
            return rank(request);
        }
        if (preferred.compareAndSet(null, request.result)) {
            request.result.whenComplete((answered, failure) -> preferred.set(null));
            return BEHIND_OTHERS;
        }
        return isPreferred(request) ? BEHIND_OTHERS : LAST;
    }

    private boolean isPreferred(Request request) {
        return request.result.equals(preferred.get());
    }

    private void submit(Request request, int rank) {
        threads.execute(new Turn(rank, turns.getAndIncrement(), () -> serve(request)));
    }

    private LockStoreException refusal() {
        return new LockStoreException("the store at " + address + " was closed");
    }

    private void serve(Request request) {
        OptionalLong answer;
        try {
            answer = carryOut(request);
        } catch (Throwable failure) { // a driver that is missing makes for an Error
            request.result.completeExceptionally(closed ? refusal() : Failures.answer(address, failure));
            return;
        }
        answer.ifPresent(request.result::complete);
    }

    /**
     * Carries a request out. If other transactions are in its way for long, it goes back to the line: renewals and
     * releases of other locks go before its next attempt. If the request is an acquisition, or another request is the
     * preferred one already, all that wait in the line go before it.
     *
     * @return empty if the request will be tried again
     */
    private OptionalLong carryOut(Request request) throws SQLException {
        SQLException last = request.last;
        while (left(request) > 0 && !closed) {
            Used used = connections.lend(request.deadline);
            boolean sound = false;
            try {
                used.begin(Duration.ofNanos(Math.max(1, left(request))));
                long answer = answer(used, request);
                sound = true;
                busy.remove(request.lock);
                return OptionalLong.of(answer);
            } catch (SQLException failure) {
                sound = used.dialect.mayRepeat(failure);
                if (sound && request.step != LeaseTableStep.ACQUIRE) {
                    if (busy.size() >= MOST_BUSY) {
                        busy.clear(); // also forgets locks for which nothing is asked any more
                    }
                    busy.add(request.lock);
                }
                if (sound && left(request) > used.dialect.longestWaitNanos()) {
                    LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(LONGEST_PAUSE_NANOS));
                    submit(request.after(failure), rankAgain(used, request));
                    return OptionalLong.empty();
                } else if (!sound && used.proven.get() && isBroken(failure)) {
                    connections.dropIdle(); // they are all older than the failure
                } else {
                    throw failure;
                }
                last = failure;
            } finally {
                used.proven.compareAndSet(false, sound);
                if (sound) {
                    connections.giveBack(used);
                } else {
                    connections.drop(used);
                }
            }
        }
        throw last;
    }

    private static long left(Request request) {
        return request.deadline - System.nanoTime();
    }

    private Used connect() throws SQLException {
        Connection made = source.connect();
        boolean fit = false;
        try {
            LeaseTableDialect dialect = LeaseTableDialect.of(made);
            dialect.limit(made, PREPARING);
            dialect.prepare(made);
            SqliteFile file = dialect == LeaseTableDialect.SQLITE ? Sqlite.inTurn(() -> SqliteFile.of(made)) : null;
            boolean carriesAnyText = layout.isOurs() || dialect.carriesAnyText(made);
            long grain = layout.grain(made, dialect);
            fit = true;
            return new Used(made, dialect, carriesAnyText, grain, file, new AtomicBoolean());
        } finally {
            if (!fit) {
                Requests.abort(made);
            }
        }
    }

    private long answer(Used used, Request request) throws SQLException {
        try {
            return run(used, request);
        } catch (SQLException failure) {
            if (!layout.isOurs() || !Vendor.isTableMissing(failure)) {
                throw failure;
            }
        }
        SQLException notMade = null;
        try {
            layout.createTable(used.connection, used.dialect);
        } catch (SQLException failure) {
            notMade = failure; // another client may have made it at the same time
        }
        try {
            return run(used, request);
        } catch (SQLException failure) {
            throw notMade == null ? failure : notMade;
        }
    }

    private long run(Used used, Request request) throws SQLException {
        boolean briefly = request.step != LeaseTableStep.ACQUIRE && !isPreferred(request);
        Map<String, Object> parameters = new HashMap<>(request.parameters);
        parameters.put("grain", used.grain);
        Sqlite.Work<Long> work =
                () -> layout.run(used.connection, used.dialect, used.carriesAnyText, request.step, briefly, parameters);
        return used.file == null ? work.run() : Sqlite.inTurn(work);
    }

    private static boolean isBroken(SQLException failure) {
        String state = failure.getSQLState();
        return state == null
                || state.startsWith("08")
                || state.startsWith("57P")
                || state.equals("25P04")
                || state.equals(MariaDb.CONNECTED_AGAIN);
    }

    /** Ends the work, without waiting for the server; requests that have not been answered are refused. */
    void close() {
        if (closed) {
            return;
        }
        closed = true;
        threads.setKeepAliveTime(LAST_MILLIS, TimeUnit.MILLISECONDS); // the threads refuse the requests in the line
        Thread thread = new Thread(connections::close, "wellkeeper-jdbc-lease-close");
        thread.setDaemon(true); // some drivers ask the server to break a connection, and wait
        thread.start();
    }
}
