package io.wellkeeper;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when the store could not do what was asked: it cannot be reached, did not answer in time, or refused. The
 * message names the store's address, and says why in the words of the store, never a secret. The cause is the store's
 * exception, if there is one; it is a {@link io.wellkeeper.spi.StoreRefusalException} where no waiting would have helped. The
 * client stays usable, and its next call asks the store again. Whatever was under way has been given up: no ticket stays behind
 * that would outlive the client's session.
 */
public class LockStoreException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /**
     * For what failed without an exception of the store's.
     *
     * @param message what failed, and where
     */
    public LockStoreException(String message) {
        super(message);
    }

    /**
     * For what failed by an exception of the store's.
     *
     * @param message what failed, and where
     * @param cause the store's own word, if there is one
     */
    public LockStoreException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
