package io.wellkeeper.internal;

import java.util.concurrent.locks.ReentrantLock;

/**
 * A lock for bookkeeping: a thread that holds one never calls a store, the user's code or another thread. With
 * assertions enabled, the monitors that each thread holds are counted, and {@link #noneHeld} reads this count.
 */
public final class Monitor {

    private static final ThreadLocal<int[]> HELD = ThreadLocal.withInitial(() -> new int[1]); // used by assertions only

    private final ReentrantLock lock = new ReentrantLock();

    void lock() {
        lock.lock();
        assert count(1);
    }

    void unlock() {
        assert count(-1);
        lock.unlock();
    }

    private static boolean count(int more) {
        HELD.get()[0] += more;
        return true;
    }

    /** Whether the calling thread holds no monitor. For assertions only, because without them nothing is counted. */
    public static boolean noneHeld() {
        return HELD.get()[0] == 0;
    }
}
