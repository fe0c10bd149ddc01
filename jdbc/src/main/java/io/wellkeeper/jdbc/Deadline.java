package io.wellkeeper.jdbc;

import java.time.Duration;

/** A moment of this process's monotonic clock. */
record Deadline(long nanos) {

    private static final Duration LONGEST = Duration.ofDays(20); // in milliseconds within 31 bits

    /** Later than anybody waits. */
    static Deadline never() {
        return in(LONGEST);
    }

    static Deadline in(Duration wait) {
        Duration bounded = wait.isNegative() ? Duration.ZERO : wait.compareTo(LONGEST) > 0 ? LONGEST : wait;
        return new Deadline(System.nanoTime() + bounded.toNanos());
    }

    /** Never negative. */
    Duration remaining() {
        return Duration.ofNanos(Math.max(0, nanos - System.nanoTime()));
    }

    boolean hasPassed() {
        return remaining().isZero();
    }

    /** The earlier of this deadline and one that is so far from now. */
    Deadline atMost(Duration wait) {
        return remaining().compareTo(wait) <= 0 ? this : in(wait);
    }
}
