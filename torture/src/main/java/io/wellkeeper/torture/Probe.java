package io.wellkeeper.torture;

import io.wellkeeper.DistributedLock;
import io.wellkeeper.LockClientClosedException;
import io.wellkeeper.LockLostException;
import io.wellkeeper.LockSource;
import io.wellkeeper.LockStoreException;
import io.wellkeeper.torture.Event.Kind;
import java.util.concurrent.TimeUnit;

/**
 * Takes a lock that nobody else wants again and again, by no proxy. How long that takes says how busy the machine and the
 * servers are, whatever the locks do that are tortured; when it is long, that is written down.
 */
final class Probe implements AutoCloseable {

    private static final long TICK = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long WORTH_A_LINE = TimeUnit.MILLISECONDS.toNanos(50);

    private final LockSource client;
    private final DistributedLock lock;
    private final History history;
    private final Thread thread = new Thread(this::look, "probe");

    private Probe(LockSource client, String name, History history) {
        this.client = client;
        this.lock = client.lock(name);
        this.history = history;
    }

    /**
     * Begins, on a daemon thread.
     *
     * @param client its own, which is closed with it
     * @param name of the lock
     * @param history where it is written down
     */
    static Probe start(LockSource client, String name, History history) {
        Probe probe = new Probe(client, name, history);
        probe.thread.setDaemon(true);
        probe.thread.start();
        return probe;
    }

    private void look() {
        try {
            while (true) {
                long before = System.nanoTime();
                once();
                long took = System.nanoTime() - before;
                if (took > WORTH_A_LINE) {
                    history.add(new Event(before, Kind.STALLED, Run.NOBODY, 0, "-", took, 0));
                }
                TimeUnit.NANOSECONDS.sleep(TICK);
            }
        } catch (InterruptedException | LockClientClosedException ended) {
            // it is closed
        }
    }

    private void once() throws InterruptedException {
        try {
            lock.lockInterruptibly();
            lock.unlock();
        } catch (LockStoreException | LockLostException trouble) {
            // the servers have some; it has taken its time
        }
    }

    @Override
    public void close() throws InterruptedException {
        thread.interrupt();
        thread.join();
        client.close();
    }
}
