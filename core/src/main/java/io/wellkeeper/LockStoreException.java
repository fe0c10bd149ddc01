package io.wellkeeper;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when the store could not do what was asked: it cannot be reached, did not answer in time, or refused. The
 * message names the store's address and quotes the store's reason, and contains no secret. The cause is the store's
 * exception, if there is one; it is a {@link io.wellkeeper.spi.StoreRefusalException} where waiting would not have
 * helped. The client stays usable, and its next call asks the store again. The failed call has been given up: no ticket
 * stays behind that would outlive the client's session.
 */
public class LockStoreException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /**
     * For a failure without an exception of the store.
     *
     * @param message what failed, and where
     */
    public LockStoreException(String message) {
        super(message);
    }

    /**
     * For a failure that an exception of the store caused.
     *
     * @param message what failed, and where
     * @param cause the store's exception, if there is one
     */
    public LockStoreException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
