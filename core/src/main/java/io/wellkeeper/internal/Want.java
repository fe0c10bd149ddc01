package io.wellkeeper.internal;

import io.wellkeeper.spi.Mode;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a primitive wants of a queue: the kind of ticket, and the rule that lets it in.
 *
 * @param mode the ticket's
 * @param permits the ticket's
 * @param rule who keeps it out
 * @param size how many permits there are, if the store tells; the rule then follows
 * @param lease how long the lease lasts, which is not renewed; null for one that is
 * @param once whether the ticket is not taken anew when it is gone: the attempt is refused instead
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

    /** So many permits of a semaphore. */
    static Want permits(int permits, Size size) {
        return new Want(Mode.EXCLUSIVE, permits, AdmissionRule.permits(permits), size, null, false);
    }

    /** The lock, for so long. */
    static Want lease(Duration length) {
        return new Want(Mode.EXCLUSIVE, 1, AdmissionRule.permits(1), null, length, false);
    }

    /** To be signalled: as many may go on as there are signals. */
    static Want signal(Size signals) {
        return new Want(Mode.EXCLUSIVE, 1, AdmissionRule.permits(1), signals, null, true);
    }

    boolean isForPermits() {
        return size != null && !once;
    }
}
