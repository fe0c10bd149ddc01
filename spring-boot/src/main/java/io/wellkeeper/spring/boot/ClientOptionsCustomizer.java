package io.wellkeeper.spring.boot;

import io.wellkeeper.ClientOptions;

/**
 * Changes the options of the configured client after all properties. Several such beans are called in their order. To
 * add a listener, a bean of type {@link io.wellkeeper.LockListener} is enough.
 */
@FunctionalInterface
public interface ClientOptionsCustomizer {

    /**
     * @param options the options, which this may change
     */
    void customize(ClientOptions.Builder options);
}
