package io.wellkeeper.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.DistributedLock;
import io.wellkeeper.LockLostException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;

/** What happened inside one lock, from many threads: who was in, from when to when, with which token. */
final class Sections {

    /** One stay; a lost one may overlap with the next, that is what its token is for. */
    private record Stay(long token, long entered, long left, boolean lost) {}

    private final ConcurrentLinkedQueue<Stay> stays = new ConcurrentLinkedQueue<>();

    /** Acquires, stays for as long as {@code inside} takes, and releases. */
    void run(DistributedLock lock, Runnable inside) {
        lock.lock();
        try {
            stay(lock, inside);
        } finally {
            unlock(lock);
        }
    }

    /** For a lock that is held. */
    void stay(DistributedLock lock, Runnable inside) {
        long entered = System.nanoTime();
        boolean lost = false;
        long token = 0;
        try {
            token = lock.fencingToken();
            inside.run();
            lock.checkHeld();
        } catch (LockLostException told) {
            lost = true;
        }
        long left = System.nanoTime();
        if (token != 0) {
            stays.add(new Stay(token, entered, left, lost));
        }
    }

    static void unlock(DistributedLock lock) {
        try {
            lock.unlock();
        } catch (LockLostException told) {
            // it was noticed while inside, or is noticed now
        }
    }

    int count() {
        return stays.size();
    }

    /** No two stays overlapped, but for those that were told of their loss; and the tokens grew in the order of entry. */
    void assertExclusiveAndFenced() {
        List<Stay> ordered = new ArrayList<>(stays);
        ordered.sort(Comparator.comparingLong(Stay::entered));
        for (int i = 1; i < ordered.size(); i++) {
            Stay before = ordered.get(i - 1);
            Stay after = ordered.get(i);
            assertThat(after.token())
                    .as("token of stay %d, after %s", i, before)
                    .isGreaterThan(before.token());
            if (!before.lost()) {
                assertThat(after.entered())
                        .as("entry of stay %d, after %s", i, before)
                        .isGreaterThan(before.left());
            }
        }
    }
}
