package io.wellkeeper.spring.boot;

import org.jspecify.annotations.Nullable;

/** Thrown if no client can be made from the application's configuration. Neither text contains a secret. */
final class StoreConfigurationException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String action;

    /**
     * @param message what is wrong
     * @param action what to do about it
     */
    StoreConfigurationException(String message, String action, @Nullable Throwable cause) {
        super(message, cause);
        this.action = action;
    }

    String action() {
        return action;
    }
}
