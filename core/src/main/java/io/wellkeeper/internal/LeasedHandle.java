package io.wellkeeper.internal;

import io.wellkeeper.LeaseHandle;
import java.time.Duration;

/** A hold until the end of a lease, which can be put off. */
final class LeasedHandle extends Handle implements LeaseHandle {

    private static final Duration SHORTEST = Duration.ofMillis(10);

    LeasedHandle(Door<?> door, Hold hold) {
        super(door, hold);
    }

    /** The length of a lease, if it is long enough; cut to what can be counted in nanoseconds. */
    static Duration check(Duration length) {
        if (length.compareTo(SHORTEST) < 0) {
            throw new IllegalArgumentException(
                    "length of a lease is " + length + "; at least " + SHORTEST + " is allowed");
        }
        return Duration.ofNanos(Door.nanos(length));
    }

    @Override
    public void extend(Duration length) {
        Duration wanted = check(length);
        checkHeld();
        door().await(hold().extend(wanted));
        checkHeld();
    }

    @Override
    public String toString() {
        return door().describe(LeaseHandle.class, name(), hold().standing());
    }
}
