package io.wellkeeper.spi;

import io.wellkeeper.LockStoreException;

/** The store has ended the session: every ticket of it has departed. */
public class SessionLostException extends LockStoreException {

    private static final long serialVersionUID = 1L;

    /**
     * Tells of the end of a session.
     *
     * @param message which session, and where
     */
    public SessionLostException(String message) {
        super(message);
    }
}
