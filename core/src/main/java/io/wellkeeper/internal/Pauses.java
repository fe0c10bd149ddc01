package io.wellkeeper.internal;

import java.time.Duration;

/**
 * Pauses between tries, each up to twice as long as the one before, up to a bound. They have jitter, so that many
 * waiters do not ask at the same time. The jitter comes from the clock, so that a simulated run can be repeated. Not
 * thread-safe.
 */
final class Pauses {

    private static final int MOST_DOUBLINGS = 16;

    private final Duration first;
    private final Duration last;
    private int tries;

    /**
     * @param first the longest that the first pause may be
     * @param last the longest that any pause may be
     */
    Pauses(Duration first, Duration last) {
        this.first = first;
        this.last = last;
    }

    /** The next pause: between half of the longest one that is allowed now and all of it. */
    Duration next(long nanoTime) {
        Duration grown = first.multipliedBy(1L << Math.min(tries++, MOST_DOUBLINGS));
        long most = (grown.compareTo(last) < 0 ? grown : last).toNanos();
        long mixed = nanoTime * 0x9E3779B97F4A7C15L; // spreads the lowest digits over all of them
        return Duration.ofNanos(most / 2 + (mixed >>> 1) % (most / 2 + 1));
    }

    /** A try has succeeded, so the next pause is as short as the first one. */
    void reset() {
        tries = 0;
    }
}
