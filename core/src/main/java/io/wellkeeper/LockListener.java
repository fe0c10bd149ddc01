package io.wellkeeper;

import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Told what happens to the locks of a client; for metrics, traces, logs and alarms. Every method does nothing by default. The
 * calls come from the client's callback executor, in order, never on a thread of the store's, and should return soon; what a
 * listener throws is logged and costs no lock.
 *
 * <p>Each call that wants a lock, except a reentrant one, ends with exactly one {@link #acquired} or {@link #gaveUp},
 * and with {@link #contended} before that if it had to wait. Each acquired lock ends with exactly one {@link #released}
 * or {@link #lost}. All these calls carry the same {@link Acquisition} object, which equals that of no other call. The
 * listener is told how a call ends before the caller can know it.
 *
 * <p>For a multi-lock the listener is told of each member, also of members that it acquires, gives back and tries again
 * while it waits for others. A wait for a condition is told as a release and an acquisition, a downgrade as an
 * acquisition of the milder lock followed by a release, and an election as an acquisition of the lock of its name.
 */
public interface LockListener {

    /**
     * One call that wants a lock, a read or write lock, or permits, and the hold that it acquires. Each object equals
     * only itself, so that it can be a key: two calls that want the same lock have two objects.
     */
    final class Acquisition {

        private final String lock;
        private final Mode mode;
        private final int permits;
        private final Map<String, String> labels;

        /**
         * For tests of listeners; in a program the client makes these objects.
         *
         * @param lock the name
         * @param mode what of it
         * @param permits how many permits of a semaphore; 1 for a lock
         * @param labels copied
         */
        public Acquisition(String lock, Mode mode, int permits, Map<String, String> labels) {
            this.lock = lock;
            this.mode = mode;
            this.permits = permits;
            this.labels = Map.copyOf(labels);
        }

        /** {@return the name} */
        public String lock() {
            return lock;
        }

        /** {@return what of it} */
        public Mode mode() {
            return mode;
        }

        /** {@return how many permits of a semaphore the call wants; 1 for a lock} */
        public int permits() {
            return permits;
        }

        /** {@return the labels of the {@link LockOptions}} */
        public Map<String, String> labels() {
            return labels;
        }

        @Override
        public String toString() {
            return "Acquisition[lock=" + lock + ", mode=" + mode + ", permits=" + permits + ", labels=" + labels + "]";
        }
    }

    /** What one can have of a name. */
    enum Mode {
        /** The lock, alone. */
        LOCK,
        /** The read lock of a read-write lock. */
        READ,
        /** The write lock of a read-write lock. */
        WRITE,
        /** Permits of a semaphore. */
        PERMITS
    }

    /** Why a call did not acquire the lock. */
    enum Outcome {
        /** Somebody else has it, and the call does not wait. */
        BUSY,
        /** Its time has passed. */
        TIMED_OUT,
        /** Its thread was interrupted. */
        INTERRUPTED,
        /** Its future was cancelled, or completed by somebody else. */
        CANCELLED,
        /** It was thrown an exception: the store refused or did not answer, or the client was closed. */
        FAILED
    }

    /**
     * An acquisition has found the lock taken and waits.
     *
     * @param what the acquisition, which has nothing yet
     */
    default void contended(Acquisition what) {}

    /**
     * A lock was acquired; not called for reentrant acquisitions.
     *
     * @param what the acquisition that got it
     * @param waited since the call
     */
    default void acquired(Acquisition what, Duration waited) {}

    /**
     * A call ended without acquiring the lock.
     *
     * @param what the acquisition, of which nothing more will be told
     * @param waited since the call
     * @param outcome why
     * @param failure if it has failed, as the caller is thrown it: an exception of its own with the same message and cause; null
     *     after any other outcome
     */
    default void gaveUp(Acquisition what, Duration waited, Outcome outcome, @Nullable Throwable failure) {}

    /**
     * A lock passed from one thread of this client to another without a round trip; told between {@link #released} of the
     * one and {@link #acquired} of the other, and perhaps before {@link #contended} of the other.
     *
     * @param what the acquisition that got it
     */
    default void handedOver(Acquisition what) {}

    /**
     * Some of the permits of a semaphore were {@linkplain Permits#release given back}, and the others are held on. The
     * rest is told by {@link #released}: it is the number that the acquisition wanted, less the numbers told here.
     *
     * @param what the acquisition that has the others
     * @param permits how many were given back
     */
    default void partlyReleased(Acquisition what, int permits) {}

    /**
     * A lock was released; of permits that are given back one after another, the last.
     *
     * @param what the acquisition that had it
     * @param held since it was acquired
     */
    default void released(Acquisition what, Duration held) {}

    /**
     * A lock was lost while it was held.
     *
     * @param what the acquisition that had it
     * @param held from acquisition until the loss was noticed
     * @param reason in a sentence, as far as it is known by then: who has broken a lock is known a round trip later, and
     *     stands in the {@link LockLostException}s from then on
     */
    default void lost(Acquisition what, Duration held, String reason) {}

    /**
     * The store cannot be reached, or refuses.
     *
     * @param store its address, without secrets
     * @param problem in a sentence
     */
    default void storeTrouble(String store, String problem) {}
}
