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
 * A table in the database of the locks, to which the holders write behind a {@link Fence}. A separate thread makes the
 * writes one after the other, and adds the answers of the database to the history. So a holder that is cut off or
 * stopped goes on as it would otherwise, and its write comes in later.
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
     * @param url of the database, in which {@link #create} has made the table
     * @param process the process that writes
     * @param history where the answers are written down
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

    /** Queues a write of the lock's row with this token. If too many writes are queued, this one is dropped. */
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
                // by a fault of the database or of the way to it: the result of the write is not known
            }
        });
    }

    private void say(long begin, Kind kind, long op, String lock, long token) {
        long end = System.nanoTime();
        history.add(new Event(end, kind, process, op, lock, token, end - begin));
    }

    /** Waits a while for the writes that are under way. */
    @Override
    public void close() throws InterruptedException {
        writer.shutdown();
        if (!writer.awaitTermination(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            writer.shutdownNow();
        }
    }
}
