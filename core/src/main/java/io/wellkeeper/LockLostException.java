package io.wellkeeper;

/**
 * Thrown when a lock that was acquired is no longer held: its session's local deadline has passed, the store has ended
 * the session, somebody removed the ticket, or the client was closed.
 *
 * <p>It is an {@link IllegalMonitorStateException}, the exception of {@link java.util.concurrent.locks.ReentrantLock}
 * for a caller that does not own the lock, so that code written for any {@code Lock} treats it rightly.
 */
public class LockLostException extends IllegalMonitorStateException {

    private static final long serialVersionUID = 1L;

    /**
     * Tells of a loss.
     *
     * @param message which lock was lost, and why
     */
    public LockLostException(String message) {
        super(message);
    }
}
