package io.wellkeeper.spring.boot;

import io.wellkeeper.LockClient;

/** A store to which the application is connected already. */
interface ApplicationStore {

    /** The name of this store for {@code wellkeeper.store}. */
    ReusedStore kind();

    /**
     * Connects to the store, if possible by connections of the client's own.
     *
     * @param clients makes the client
     */
    LockClient connect(LockClients clients);
}
