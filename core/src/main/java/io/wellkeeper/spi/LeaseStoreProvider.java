package io.wellkeeper.spi;

import java.util.Set;

/** Makes a {@link LeaseStore} of a URI; found by {@link java.util.ServiceLoader}. */
public interface LeaseStoreProvider {

    /** {@return the schemes it serves, such as {@code zookeeper-simple}} */
    Set<String> schemes();

    /**
     * Makes a store. Nothing is sent yet.
     *
     * @param uri whose scheme is one of {@link #schemes()}
     * @return the store, owned by the caller
     * @throws IllegalArgumentException if the URI is wrong, saying which part and why
     */
    LeaseStore create(StoreUri uri);
}
