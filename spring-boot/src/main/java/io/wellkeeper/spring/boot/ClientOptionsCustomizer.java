package io.wellkeeper.spring.boot;

import io.wellkeeper.ClientOptions;

/**
 * Has the last word on the options of the client that is configured; of several beans, in their order. For a listener, a bean of
 * type {@link io.wellkeeper.LockListener} is enough.
 */
@FunctionalInterface
public interface ClientOptionsCustomizer {

    /**
     * @param options to be changed
     */
    void customize(ClientOptions.Builder options);
}
