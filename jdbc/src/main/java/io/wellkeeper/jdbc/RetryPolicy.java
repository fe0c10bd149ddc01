package io.wellkeeper.jdbc;

import java.time.Duration;
import java.util.concurrent.locks.Lock;
import org.jspecify.annotations.Nullable;

/**
 * How often an optimistic update is tried, and what is done in between. Before each further attempt it waits for a random
 * while, up to twice as long as before. Immutable.
 */
public final class RetryPolicy {

    private static final int ATTEMPTS = 10;
    private static final Duration FIRST = Duration.ofMillis(2);
    private static final Duration LONGEST = Duration.ofMillis(200);

    private final int attempts;
    private final Duration first;
    private final Duration longest;
    private final @Nullable Lock lock;
    private final int conflicts;

    private RetryPolicy(int attempts, Duration first, Duration longest, @Nullable Lock lock, int conflicts) {
        this.attempts = attempts;
        this.first = first;
        this.longest = longest;
        this.lock = lock;
        this.conflicts = conflicts;
    }

    /** {@return ten attempts, with 2 to 200 milliseconds in between} */
    public static RetryPolicy standard() {
        return new RetryPolicy(ATTEMPTS, FIRST, LONGEST, null, 0);
    }

    /**
     * The same with another number of attempts.
     *
     * @param most attempts, the first included
     * @return as this, otherwise
     * @throws IllegalArgumentException if it is less than 1
     */
    public RetryPolicy attempts(int most) {
        if (most < 1) {
            throw new IllegalArgumentException("attempts is " + most + "; at least 1 is allowed");
        }
        return new RetryPolicy(most, first, longest, lock, conflicts);
    }

    /**
     * The same with other pauses.
     *
     * @param shortest what is about waited first
     * @param most the longest that is ever waited
     * @return as this, otherwise
     * @throws IllegalArgumentException if the first is negative, or longer than the other
     */
    public RetryPolicy pauses(Duration shortest, Duration most) {
        if (shortest.isNegative() || most.compareTo(shortest) < 0) {
            throw new IllegalArgumentException("pauses from " + shortest + " to " + most);
        }
        return new RetryPolicy(attempts, shortest, most, lock, conflicts);
    }

    /**
     * After so many conflicts the further attempts are made one client at a time. All who update the row should use the
     * same lock: a fair one ends a livelock, in which each attempt is overtaken by somebody else's. The lock is for
     * progress only: nothing is overwritten if it is lost.
     *
     * @param patient held during the further attempts; waited for as long as it takes
     * @param after so many conflicts; fewer than the attempts
     * @return as this, otherwise
     */
    public RetryPolicy escalateTo(Lock patient, int after) {
        if (after < 1) {
            throw new IllegalArgumentException("escalation after " + after + " conflicts; at least 1 is allowed");
        }
        return new RetryPolicy(attempts, first, longest, patient, after);
    }

    @Override
    public String toString() {
        return "RetryPolicy[" + attempts + " attempts, pauses from " + first + " to " + longest + "]";
    }

    /** Whether there is another attempt after so many conflicts. */
    boolean goesOn(int seen) {
        return seen < attempts;
    }

    /** The lock to take after so many conflicts; null if none. */
    @Nullable
    Lock escalation(int seen) {
        return seen == conflicts ? lock : null;
    }

    Pause pause() {
        return new Pause(first, longest);
    }
}
