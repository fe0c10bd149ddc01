package io.wellkeeper.redis;

import io.netty.util.concurrent.FastThreadLocalThread;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings the requests of all threads into one order, and keeps it.
 *
 * <p>Netty does not keep it: a request that Netty's own thread writes is written at once, and overtakes the requests
 * that other threads have handed to Netty before. So the requests that Netty's threads send, when an answer or a
 * message has been received, are handed to another thread; requests that are sent meanwhile stand in line behind them.
 */
final class Outbox {

    private static final Logger LOG = LoggerFactory.getLogger(Outbox.class);

    private final Executor executor;
    private final ReentrantLock lock = new ReentrantLock(); // guards the line; requests are written under it
    private final Deque<Runnable> line = new ArrayDeque<>();

    /**
     * @param executor runs tasks on none of Netty's own threads
     */
    Outbox(Executor executor) {
        this.executor = executor;
    }

    /**
     * Sends.
     *
     * @param write hands a request to Lettuce; called in the order of the calls of this method, and calls nobody back
     */
    void send(Runnable write) {
        boolean first;
        lock.lock();
        try {
            if (line.isEmpty() && !(Thread.currentThread() instanceof FastThreadLocalThread)) {
                write.run();
                return;
            }
            first = line.isEmpty();
            line.add(write);
        } finally {
            lock.unlock();
        }
        if (first) {
            try {
                executor.execute(this::drain);
            } catch (RejectedExecutionException closed) {
                drain();
            }
        }
    }

    private void drain() {
        lock.lock();
        try {
            for (Runnable write = line.peek(); write != null; write = line.peek()) {
                try {
                    write.run();
                } catch (RuntimeException refused) { // the requests behind it are written all the same
                    LOG.warn("a request to Redis could not be written", refused);
                } finally {
                    line.remove(); // only now: a request that is not written yet keeps others from overtaking it
                }
            }
        } finally {
            lock.unlock();
        }
    }
}
