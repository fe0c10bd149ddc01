package io.wellkeeper.spring;

import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Thrown by a {@link Locked} method that did not get its lock in time, or whose thread was interrupted while it waited.
 * In the case of an interrupt the cause is an {@link InterruptedException}, and the thread's interrupt status is set.
 * The method has not run.
 */
public class LockNotAcquiredException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** The names of the locks; a list that can be serialized. */
    @SuppressWarnings("serial")
    private final List<String> names;

    /**
     * @param message which lock which method did not acquire, and why
     * @param names the lock's name, or several names
     * @param cause the interruption, if there was one
     */
    public LockNotAcquiredException(String message, Collection<String> names, @Nullable Throwable cause) {
        super(message, cause);
        this.names = List.copyOf(names);
    }

    /** {@return the lock's name, or several names if the method has several} */
    public List<String> names() {
        return names;
    }
}
