package io.wellkeeper.torture;

import io.wellkeeper.jdbc.Fence;
import io.wellkeeper.jdbc.StaleTokenException;
import io.wellkeeper.torture.Event.Kind;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * A table of the database that keeps the locks, to which the holders write behind a {@link Fence}. A thread of its own writes, one
 * after another, and writes down what the database has answered: so a holder who is cut off or stopped goes on with what it would do
 * then, and its write comes in later.
 */
final class FencedTable implements AutoCloseable {

    private static final Fence FENCE = Fence.prefixed("torture_");
    private static final int MOST_WAITING = 100;
    private static final long PATIENCE_SECONDS = 10;

    private final String url;
    private final int process;
    private final History history;
    private final ThreadPoolExecutor writer = new ThreadPoolExecutor(
            1,
            1,
            0,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(MOST_WAITING),
            task -> {
                Thread thread = new Thread(task, "fenced-table");
                thread.setDaemon(true);
                return thread;
            },
            new ThreadPoolExecutor.DiscardPolicy());

    /**
     * @param url of the database, in which {@link #create} was called
     * @param process who writes
     * @param history of what comes of it
     */
    FencedTable(String url, int process, History history) {
        this.url = url;
        this.process = process;
        this.history = history;
    }

    /** Makes the table. */
    static void create(Connection connection) throws SQLException {
        FENCE.createTable(connection);
    }

    /** Has the lock's row written with this token, soon. If too many are waiting for that, it is not. */
    void write(long op, String lock, long token) {
        writer.execute(() -> {
            long begin = System.nanoTime();
            try (Connection connection = DriverManager.getConnection(url)) {
                connection.setAutoCommit(false);
                FENCE.check(connection, lock, token);
                connection.commit();
                say(begin, Kind.FENCED, op, lock, token);
            } catch (StaleTokenException stale) {
                say(begin, Kind.FENCED_OFF, op, lock, token);
            } catch (SQLException unknown) {
                // whatever befell the database or the way to it: then nobody knows what came of the write
            }
        });
    }

    private void say(long begin, Kind kind, long op, String lock, long token) {
        long end = System.nanoTime();
        history.add(new Event(end, kind, process, op, lock, token, end - begin));
    }

    /** Waits a while for those that are under way. */
    @Override
    public void close() throws InterruptedException {
        writer.shutdown();
        if (!writer.awaitTermination(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            writer.shutdownNow();
        }
    }
}
