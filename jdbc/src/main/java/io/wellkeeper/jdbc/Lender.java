package io.wellkeeper.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.sql.DataSource;

/**
 * Gets connections of a data source on a few threads of its own, so that callers need not wait as long as the data
 * source takes. A connection that comes too late goes straight back.
 */
final class Lender {

    /** How long callers wait that do not want to wait; after so long in vain, a caller gets an exception. */
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    private static final int THREADS = 16;
    private static final long IDLE_SECONDS = 10; // of a thread

    private final DataSource source;
    private final ThreadPoolExecutor threads;

    Lender(DataSource source) {
        this.source = source;
        this.threads = new ThreadPoolExecutor(
                THREADS, THREADS, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
                    Thread thread = new Thread(task, "wellkeeper-jdbc-connect");
                    thread.setDaemon(true);
                    return thread;
                });
        threads.allowCoreThreadTimeOut(true);
    }

    /**
     * As {@link #lendInterruptibly}, but an interrupt does not end the wait, and is kept; and if the deadline has
     * passed already, it waits for {@link #PATIENCE}.
     */
    Optional<Connection> lend(Deadline deadline) throws SQLException {
        try {
            return deadline.hasPassed()
                    ? lend(Deadline.in(PATIENCE), true, false)
                    : lend(deadline, tells(deadline), false);
        } catch (InterruptedException never) {
            throw new IllegalStateException(never);
        }
    }

    /**
     * Waits for a connection.
     *
     * @return empty if the deadline has passed first, too soon to say that there is none
     * @throws SQLException if the data source fails, or has not given one within {@link #PATIENCE} or more
     */
    Optional<Connection> lendInterruptibly(Deadline deadline) throws SQLException, InterruptedException {
        return lend(deadline, tells(deadline), true);
    }

    private static boolean tells(Deadline deadline) {
        return deadline.remaining().compareTo(PATIENCE) >= 0;
    }

    /** @param tells whether to throw, rather than to return empty, if there is no connection */
    private Optional<Connection> lend(Deadline deadline, boolean tells, boolean interruptible)
            throws SQLException, InterruptedException {
        long start = System.nanoTime();
        CompletableFuture<Connection> coming = new CompletableFuture<>();
        FutureTask<?> asking = new FutureTask<>(() -> ask(coming), null);
        threads.execute(asking);
        boolean interrupted = false;
        boolean taken = false;
        try {
            while (true) {
                try {
                    Connection made = coming.get(deadline.remaining().toNanos(), TimeUnit.NANOSECONDS);
                    taken = true;
                    return Optional.of(made);
                } catch (InterruptedException told) {
                    if (interruptible) {
                        throw told;
                    }
                    interrupted = true;
                }
            }
        } catch (TimeoutException late) {
            if (!tells) {
                return Optional.empty();
            }
            Duration waited = Duration.ofNanos(System.nanoTime() - start);
            throw new SQLTransientConnectionException(
                    "the data source has given no connection for " + waited.toMillis() + " ms");
        } catch (ExecutionException failed) {
            throw failed.getCause() instanceof SQLException known ? known : new SQLException(failed.getCause());
        } finally {
            if (!taken) {
                asking.cancel(true); // a good pool ends the wait of a thread that is interrupted
                threads.remove(asking);
                coming.thenAccept(Lender::giveBack);
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void ask(CompletableFuture<Connection> coming) {
        try {
            coming.complete(source.getConnection());
        } catch (SQLException | RuntimeException | Error failed) {
            coming.completeExceptionally(failed);
        }
    }

    private static void giveBack(Connection late) {
        try {
            late.close();
        } catch (SQLException broken) {
            // it is gone
        }
    }
}
