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
 * <p>Netty does not: what its own thread writes is written at once, and overtakes what other threads have handed to it
 * before. So whatever is sent by one of Netty's threads, which is done when an answer or a message has been received,
 * goes by way of another thread, and what is sent meanwhile stands in line behind it.
 */
final class Outbox {

    private static final Logger LOG = LoggerFactory.getLogger(Outbox.class);

    private final Executor executor;
    private final ReentrantLock lock = new ReentrantLock(); // guards the line; whatever is written is written under it
    private final Deque<Runnable> line = new ArrayDeque<>();

    /**
     * @param executor runs on none of the threads that write at once
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
                } catch (RuntimeException refused) { // the others are to be written all the same
                    LOG.warn("a request to Redis could not be written", refused);
                } finally {
                    line.remove(); // it stands in line until it is written, so that nobody overtakes it
                }
            }
        } finally {
            lock.unlock();
        }
    }
}
