package io.wellkeeper;

import java.time.Duration;

/** Checks of lengths of time. */
final class Durations {

    /** Longer than anybody waits, and short enough for arithmetic in nanoseconds. */
    private static final Duration LONGEST = Duration.ofDays(36_500);

    private Durations() {}

    static Duration notNegative(String what, Duration value) {
        if (value.isNegative()) {
            throw new IllegalArgumentException(what + " is " + value + "; it must not be negative");
        }
        return value.compareTo(LONGEST) > 0 ? LONGEST : value;
    }

    static Duration atLeast(String what, Duration value, Duration least) {
        if (value.compareTo(least) < 0) {
            throw new IllegalArgumentException(what + " is " + value + "; at least " + least + " is allowed");
        }
        return notNegative(what, value);
    }
}
