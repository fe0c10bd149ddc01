package io.wellkeeper.internal;

import io.wellkeeper.LockLostException;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/** The permits of one semaphore that the threads of one client have acquired without a handle, oldest first. */
final class PermitPool {

    private final Monitor lock = new Monitor();
    private final Deque<Hold> holds = new ArrayDeque<>(); // guarded by lock, and their permits with them

    void add(Hold hold) {
        lock.lock();
        try {
            holds.addLast(hold);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Gives permits back.
     *
     * @param door by which they came
     * @throws IllegalMonitorStateException if there are not so many; nothing is given back
     * @throws LockLostException if some were lost; the rest is given back
     */
    void release(int permits, String name, Door door) {
        LockLostException loss = null;
        lock.lock();
        try {
            int there = holds.stream().mapToInt(Hold::permits).sum();
            if (there < permits) {
                throw new IllegalMonitorStateException("semaphore '" + name + "': " + permits
                        + " permits are to be released, and this client has " + there);
            }
            int left = permits;
            while (left > 0) {
                Hold oldest = holds.element();
                int some = Math.min(left, oldest.permits());
                LockLostException lost = release(oldest, some, door);
                loss = loss == null ? lost : loss;
                left -= some;
            }
        } finally {
            lock.unlock();
        }
        if (loss != null) {
            throw loss;
        }
    }

    private @Nullable LockLostException release(Hold hold, int some, Door door) {
        try {
            if (some < hold.permits()) {
                hold.unlockSome(some);
            } else {
                holds.remove(hold);
                door.leave(hold);
            }
            return null;
        } catch (LockLostException lost) {
            if (holds.contains(hold)) {
                hold.permits(hold.permits() - some);
            }
            return lost;
        }
    }
}
