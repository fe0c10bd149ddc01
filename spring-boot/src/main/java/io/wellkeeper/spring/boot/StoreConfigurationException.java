package io.wellkeeper.spring.boot;

import org.jspecify.annotations.Nullable;

/** That no client can be made of what the application is told. Neither text has a secret. */
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
