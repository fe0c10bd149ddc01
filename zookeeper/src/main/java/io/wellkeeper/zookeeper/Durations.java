package io.wellkeeper.zookeeper;

import java.time.Duration;

/** Durations that grow from one try to the next. */
final class Durations {

    private Durations() {}

    /** Twice as long, but no longer than the other. */
    static Duration twice(Duration duration, Duration most) {
        Duration twice = duration.multipliedBy(2);
        return twice.compareTo(most) < 0 ? twice : most;
    }
}
