package io.wellkeeper;

import java.time.Duration;

/**
 * Told what happens to the locks of a client; for metrics, logs and alarms. Every method does nothing by default. The
 * calls come from the client's callback executor, in order, never on a thread of the store's; what a listener throws is
 * logged and costs no lock.
 */
public interface LockListener {

    /**
     * An acquisition has found the lock taken and waits.
     *
     * @param lock the lock's name
     */
    default void contended(String lock) {}

    /**
     * A lock was acquired; not called for reentrant acquisitions.
     *
     * @param lock the lock's name
     * @param waited since the call
     */
    default void acquired(String lock, Duration waited) {}

    /**
     * A lock passed from one thread of this client to another without a round trip.
     *
     * @param lock the lock's name
     */
    default void handedOver(String lock) {}

    /**
     * A lock was released.
     *
     * @param lock the lock's name
     * @param held since it was acquired
     */
    default void released(String lock, Duration held) {}

    /**
     * A lock was lost while it was held.
     *
     * @param lock the lock's name
     * @param held from acquisition until the loss was noticed
     * @param reason in a sentence, as far as it is known by then: who has broken a lock is known a round trip later, and
     *     stands in the {@link LockLostException}s from then on
     */
    default void lost(String lock, Duration held, String reason) {}

    /**
     * The store cannot be reached, or refuses.
     *
     * @param store its address, without secrets
     * @param problem in a sentence
     */
    default void storeTrouble(String store, String problem) {}
}
