package io.wellkeeper.spring.boot;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Has an application that is being closed wait until its locks are released. By then servers and schedulers take no more work
 * (phases of half the greatest number and above), and connections that have phases, as Lettuce's of Spring Data, are open.
 *
 * <p>Nothing is refused meanwhile: work that is under way may need another lock to come to its end. A lock is told of before its
 * holder knows that he has it, so this looks when all has been told that was to be told by then, and overlooks none. Where the
 * application has set another callback executor, it looks at once, and a lock that has just been acquired may be overlooked.
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

    /** Waits for nothing; only {@link #stop(Runnable)} does. */
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

    /** Who pauses does not end: what is held meanwhile is nobody's hindrance. */
    @Override
    public boolean isPauseable() {
        return false;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}
