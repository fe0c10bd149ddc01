package io.wellkeeper.spring.boot;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Makes an application that is being closed wait until its locks are released. At that time servers and schedulers
 * accept no more work (their phases are half the greatest number and above), and connections with phases, such as
 * Lettuce's of Spring Data, are still open.
 *
 * <p>Nothing is refused meanwhile, because running work may need another lock to finish. The listener is told of a lock
 * before the lock's holder gets it, so this looks after all callbacks that are queued by then, and overlooks no lock.
 * If the application has set another callback executor, it looks at once, and may overlook a lock that has just been
 * acquired.
 */
final class LockDrain implements SmartLifecycle {

    static final int PHASE = 1000;

    private static final Logger LOG = LoggerFactory.getLogger(LockDrain.class);

    private final LockActivity activity;
    private volatile boolean running;

    LockDrain(LockActivity activity) {
        this.activity = activity;
    }

    @Override
    public void start() {
        running = true;
    }

    /** Does not wait; only {@link #stop(Runnable)} waits. */
    @Override
    public void stop() {
        running = false;
    }

    @Override
    public void stop(Runnable callback) {
        if (activity.held() > 0) {
            LOG.info("waiting until these locks are released: {}", activity.heldNames());
        }
        activity.whenNothingIsHeld(() -> {
            running = false;
            callback.run();
        });
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /** No: a pause is not the end of the application, and may go on while locks are held. */
    @Override
    public boolean isPauseable() {
        return false;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}
