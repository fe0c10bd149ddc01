package io.wellkeeper.redis;

import java.time.Duration;

/** How long leases are good for. */
final class LeaseTimes {

    private static final Duration SMALLEST_DRIFT = Duration.ofMillis(2);
    private static final int DRIFT_DIVISOR = 100;
    private static final long IDLE_MILLIS = Duration.ofDays(1).toMillis();

    private LeaseTimes() {}

    /**
     * For how long a holder may rely on a key with this time to live: for a hundredth and 2 ms less, because clocks run
     * at different speeds and Redis counts in milliseconds.
     */
    static Duration validity(Duration ttl) {
        Duration rest = ttl.minus(ttl.dividedBy(DRIFT_DIVISOR)).minus(SMALLEST_DRIFT);
        return rest.isNegative() ? Duration.ZERO : rest;
    }

    /** The milliseconds for Redis, at least 1, because Redis refuses a time to live of zero. */
    static String millis(Duration ttl) {
        return Long.toString(Math.max(1, ttl.toMillis()));
    }

    /** For how long the data beside a lock is kept when nobody uses the lock. */
    static String idleMillis(Duration ttl) {
        return Long.toString(Math.max(IDLE_MILLIS, ttl.toMillis() * 4));
    }
}
