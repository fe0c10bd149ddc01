package io.wellkeeper.redis;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a client knows of sessions in one partition that the server has forgotten. If the server has forgotten a session
 * of this client that should be alive by this machine's clock, it may have forgotten others. The client also knows when
 * a session of its own was last renewed, which the server must know too, unless it has gone back to an older state. The
 * server is told both when the next session is to begin.
 */
final class RestartGuard {

    private static final Logger LOG = LoggerFactory.getLogger(RestartGuard.class);

    private final boolean on;
    private final AtomicBoolean unsure = new AtomicBoolean();
    private final ReentrantLock lock = new ReentrantLock(); // guards the fields below
    private boolean forgotten;
    private long reliedUponUntil; // by System.nanoTime
    private volatile long renewedAt; // when a session of ours was last renewed, in milliseconds of the server's clock

    RestartGuard(boolean on) {
        this.on = on;
    }

    boolean isOn() {
        return on;
    }

    /**
     * The server does not know a session any more that should be alive.
     *
     * @param timeout for how long, from now on, owners may still rely on other forgotten sessions
     */
    void forgotten(Duration timeout) {
        lock.lock();
        try {
            long until = System.nanoTime() + timeout.toNanos();
            reliedUponUntil = forgotten && reliedUponUntil - until > 0 ? reliedUponUntil : until;
            forgotten = true;
        } finally {
            lock.unlock();
        }
    }

    /** For how long forgotten sessions may still be relied upon; zero if none is known. */
    Duration left() {
        lock.lock();
        try {
            Duration left = forgotten ? Duration.ofNanos(reliedUponUntil - System.nanoTime()) : Duration.ZERO;
            forgotten = !left.isNegative() && !left.isZero();
            return forgotten ? left : Duration.ZERO;
        } finally {
            lock.unlock();
        }
    }

    /**
     * A session has been begun or renewed.
     *
     * @param at in milliseconds of the server's clock
     */
    void renewed(long at) {
        renewedAt = at;
    }

    /** When a session was last renewed, in milliseconds of the server's clock; 0 if there has been none. */
    long renewedAt() {
        return renewedAt;
    }

    /** The server does not say how long it has been up; this is logged once. */
    void isUnsure(String address) {
        if (unsure.compareAndSet(false, true)) {
            LOG.warn(
                    "Redis at {} does not say how long it has been up (INFO server): if it is started again without its"
                            + " data, somebody may be let in beside a holder who does not know it yet",
                    address);
        }
    }
}
