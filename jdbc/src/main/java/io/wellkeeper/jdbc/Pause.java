package io.wellkeeper.jdbc;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/** Waits a while before the next attempt, longer each time, and never in step with others. */
final class Pause {

    private final long first;
    private final long longest;
    private long bound;

    Pause(Duration first, Duration longest) {
        this.first = Math.max(1, first.toNanos());
        this.longest = Math.max(this.first, longest.toNanos());
        this.bound = this.first;
    }

    /** Waits, but not beyond the deadline. An interrupt does not end the wait; the thread stays interrupted. */
    void take(Deadline deadline) {
        boolean interrupted = false;
        long nanos = ThreadLocalRandom.current().nextLong(first / 2, bound + 1);
        Deadline end = deadline.atMost(Duration.ofNanos(nanos));
        while (!end.hasPassed()) {
            try {
                Thread.sleep(Math.max(1, end.remaining().toMillis()));
            } catch (InterruptedException kept) {
                interrupted = true;
            }
        }
        bound = Math.min(longest, bound * 2);
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
