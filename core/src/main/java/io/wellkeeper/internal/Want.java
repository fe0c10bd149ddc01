package io.wellkeeper.internal;

import io.wellkeeper.spi.Mode;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a request wants of a queue: the kind of ticket, and the rule that lets the ticket in.
 *
 * @param mode the mode of the ticket
 * @param permits the permits of the ticket
 * @param rule tells which tickets keep it out
 * @param size reads from the notice how many permits there are, which then decide the rule; null if there is no such
 *     number
 * @param lease the length of a lease that is not renewed; null if the client renews it
 * @param once whether the attempt is refused when its ticket is gone, instead of taking another ticket
 */
record Want(
        Mode mode,
        int permits,
        AdmissionRule rule,
        @Nullable Size size,
        @Nullable Duration lease,
        boolean once) {

    static final Want LOCK = plain(Mode.EXCLUSIVE, AdmissionRule.permits(1));
    static final Want READ = plain(Mode.SHARED, AdmissionRule.shared());
    static final Want WRITE = plain(Mode.WRITE, AdmissionRule.permits(1));

    private static Want plain(Mode mode, AdmissionRule rule) {
        return new Want(mode, 1, rule, null, null, false);
    }

    /** This number of permits of a semaphore. */
    static Want permits(int permits, Size size) {
        return new Want(Mode.EXCLUSIVE, permits, AdmissionRule.permits(permits), size, null, false);
    }

    /** The lock, for a lease of this length. */
    static Want lease(Duration length) {
        return new Want(Mode.EXCLUSIVE, 1, AdmissionRule.permits(1), null, length, false);
    }

    /** A signal of a condition: as many waiters may go on as there are signals. */
    static Want signal(Size signals) {
        return new Want(Mode.EXCLUSIVE, 1, AdmissionRule.permits(1), signals, null, true);
    }

    boolean isForPermits() {
        return size != null && !once;
    }
}
