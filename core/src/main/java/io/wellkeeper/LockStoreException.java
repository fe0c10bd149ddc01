package io.wellkeeper;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when the store could not do what was asked: it cannot be reached, did not answer in time, or refused. The
 * message names the store's address, never a secret. Whatever was under way has been given up: no ticket stays behind
 * that would outlive the client's session.
 */
public class LockStoreException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /**
     * @param message what failed, and where
     */
    public LockStoreException(String message) {
        super(message);
    }

    /**
     * @param message what failed, and where
     * @param cause the store's own word, if there is one
     */
    public LockStoreException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
