package io.wellkeeper.torture;

import io.wellkeeper.DistributedLock;
import io.wellkeeper.LockClientClosedException;
import io.wellkeeper.LockLostException;
import io.wellkeeper.LockSource;
import io.wellkeeper.LockStoreException;
import io.wellkeeper.torture.Event.Kind;
import java.util.concurrent.TimeUnit;

/**
 * Acquires again and again a lock that no other client uses, without a proxy. The time that this takes shows how busy
 * the machine and the servers are, independently of the tortured locks. Long times are written to the history.
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
     * Starts a probe on a daemon thread.
     *
     * @param client a client of its own, which is closed with the probe
     * @param name of the lock
     * @param history where long times are written
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
            // the probe is being closed
        }
    }

    private void once() throws InterruptedException {
        try {
            lock.lockInterruptibly();
            lock.unlock();
        } catch (LockStoreException | LockLostException trouble) {
            // a fault of the servers: only the time that it took matters
        }
    }

    @Override
    public void close() throws InterruptedException {
        thread.interrupt();
        thread.join();
        client.close();
    }
}
