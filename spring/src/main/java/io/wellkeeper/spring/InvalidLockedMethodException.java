package io.wellkeeper.spring;

import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;

/**
 * Thrown when a {@link Locked} method cannot be guarded as its annotation says: at start, when its bean is made. The message
 * names the method, and says what is wrong.
 */
public class InvalidLockedMethodException extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    /**
     * @param method the method that cannot be guarded
     * @param problem what is wrong, in a sentence
     * @param cause the exception that has shown the problem, if there is one
     */
    public InvalidLockedMethodException(Method method, String problem, @Nullable Throwable cause) {
        super("@Locked on " + MethodNames.full(method) + ": " + problem, cause);
    }
}
