package io.wellkeeper.spi;

import java.util.Set;

/** Makes a {@link TicketStore} of a URI; found by {@link java.util.ServiceLoader}. */
public interface StoreProvider {

    /** {@return the schemes it serves, such as {@code zookeeper}} */
    Set<String> schemes();

    /**
     * Makes a store. Nothing is sent yet: {@link TicketStore#open} connects.
     *
     * @param uri whose scheme is one of {@link #schemes()}
     * @return the store, owned by the caller
     * @throws IllegalArgumentException if the URI is wrong, saying which part and why
     */
    TicketStore create(StoreUri uri);
}
