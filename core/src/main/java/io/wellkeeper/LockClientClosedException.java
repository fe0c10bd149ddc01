package io.wellkeeper;

/** Thrown to those who wait for a lock when its client is closed, and to those who use the client afterwards. */
public class LockClientClosedException extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    /**
     * Tells that the client is closed.
     *
     * @param message which client was closed
     */
    public LockClientClosedException(String message) {
        super(message);
    }
}
