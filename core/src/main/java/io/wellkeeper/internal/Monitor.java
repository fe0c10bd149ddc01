package io.wellkeeper.internal;

import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A lock for bookkeeping: a thread that holds one never calls a store, the user's code or another thread. With
 * assertions enabled, the monitors that each thread holds are counted, and {@link #noneHeld} reads this count. In such
 * builds a simulation can also hold a thread up before it locks a monitor and after it has unlocked one.
 */
public final class Monitor {

    private static final ThreadLocal<Standing> STANDING = ThreadLocal.withInitial(Standing::new); // for assertions only

    private final ReentrantLock lock = new ReentrantLock();

    /** What is kept for one thread. */
    private static final class Standing {

        private int held; // monitors
        private @Nullable Runnable between; // run whenever none is held: before one is locked, and after it is unlocked
    }

    void lock() {
        assert pause();
        lock.lock();
        assert count(1);
    }

    void unlock() {
        assert count(-1);
        lock.unlock();
        assert pause();
    }

    private static boolean count(int more) {
        STANDING.get().held += more;
        return true;
    }

    private static boolean pause() {
        Standing mine = STANDING.get();
        if (mine.between != null && mine.held == 0) {
            mine.between.run();
        }
        return true;
    }

    /** Whether the calling thread holds no monitor. For assertions only, because without them nothing is counted. */
    public static boolean noneHeld() {
        return STANDING.get().held == 0;
    }

    /**
     * From now on the calling thread runs this before it locks a monitor and after it has unlocked one, if it holds no
     * other; only where assertions are enabled.
     *
     * @param what null for nothing
     */
    public static void betweenAny(@Nullable Runnable what) {
        STANDING.get().between = what;
    }
}
