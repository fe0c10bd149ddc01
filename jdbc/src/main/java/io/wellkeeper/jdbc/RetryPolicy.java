package io.wellkeeper.jdbc;

import java.time.Duration;
import java.util.concurrent.locks.Lock;
import org.jspecify.annotations.Nullable;

/**
 * How often an optimistic update is tried, and what is done in between. Before each further attempt the update pauses
 * for a random time, the bound of which doubles with each attempt up to a longest. Immutable.
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
     * The same policy with another number of attempts.
     *
     * @param most attempts, the first included
     * @return a policy that is otherwise as this one
     * @throws IllegalArgumentException if the number is less than 1
     */
    public RetryPolicy attempts(int most) {
        if (most < 1) {
            throw new IllegalArgumentException("attempts is " + most + "; at least 1 is allowed");
        }
        return new RetryPolicy(most, first, longest, lock, conflicts);
    }

    /**
     * The same policy with other pauses.
     *
     * @param shortest the first pause, about
     * @param most the longest pause ever
     * @return a policy that is otherwise as this one
     * @throws IllegalArgumentException if the first is negative, or longer than the other
     */
    public RetryPolicy pauses(Duration shortest, Duration most) {
        if (shortest.isNegative() || most.compareTo(shortest) < 0) {
            throw new IllegalArgumentException("pauses from " + shortest + " to " + most);
        }
        return new RetryPolicy(attempts, shortest, most, lock, conflicts);
    }

    /**
     * The same policy with a lock: after so many conflicts the update holds this lock during its further attempts, so
     * that clients make them one at a time. All programs that update the row should use the same lock: a fair one ends
     * a livelock, in which each attempt is overtaken by somebody else's. The lock is for progress only: nothing is
     * overwritten if the lock is lost.
     *
     * @param patient held during the further attempts; the update waits for it as long as it takes
     * @param after so many conflicts; fewer than the attempts
     * @return a policy that is otherwise as this one
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
