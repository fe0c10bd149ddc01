package io.wellkeeper.spi;

import io.wellkeeper.LockStoreException;
import java.time.Duration;
import java.util.Objects;

/**
 * The store answers, but begins no session for a while, because it may have forgotten sessions on which their owners
 * still rely. Clients wait until it begins sessions again, even clients that are just connecting, however short their
 * store timeout is.
 */
public final class StoreRecoveringException extends LockStoreException {

    private static final long serialVersionUID = 1L;

    /** The time after which it is worth asking again. */
    private final Duration wait;

    /**
     * Tells that no session can begin yet.
     *
     * @param message where, why, and for how long; no secrets
     * @param wait the time after which it is worth asking again
     */
    public StoreRecoveringException(String message, Duration wait) {
        super(message);
        this.wait = Objects.requireNonNull(wait, "wait");
    }

    /** {@return after which time it is worth asking again} */
    public Duration suggestedWait() {
        return wait;
    }
}
