package io.wellkeeper.storekit;

import io.wellkeeper.DistributedLock;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;

/**
 * The buffer of the {@link Condition} documentation, in one process. Its contents are protected only by a lock, and its
 * waiters are woken only by the conditions of this lock. It signals one waiter for each change, so it cannot afford to
 * lose a signal.
 */
final class BoundedBuffer {

    private final Deque<Integer> contents; // shared by all processes, and not safe for threads; guarded by lock
    private final int capacity;
    private final DistributedLock lock;
    private final Condition notFull;
    private final Condition notEmpty;

    BoundedBuffer(Deque<Integer> contents, int capacity, DistributedLock lock) {
        this.contents = contents;
        this.capacity = capacity;
        this.lock = lock;
        this.notFull = lock.newCondition();
        this.notEmpty = lock.newCondition();
    }

    void put(int item) throws InterruptedException {
        lock.lock();
        try {
            while (contents.size() == capacity) {
                notFull.await();
            }
            contents.addLast(item);
            notEmpty.signal();
        } finally {
            lock.unlock();
        }
    }

    int take() throws InterruptedException {
        lock.lock();
        try {
            while (contents.isEmpty()) {
                notEmpty.await();
            }
            return takeFirst();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Takes an item. If it is not signalled in time it gives up without looking again: then the signal is for another
     * waiter.
     */
    Optional<Integer> poll(long nanos) throws InterruptedException {
        lock.lock();
        try {
            while (contents.isEmpty()) {
                if (!notEmpty.await(nanos, TimeUnit.NANOSECONDS)) {
                    return Optional.empty();
                }
            }
            return Optional.of(takeFirst());
        } finally {
            lock.unlock();
        }
    }

    private int takeFirst() {
        int item = contents.removeFirst();
        notFull.signal();
        return item;
    }
}
