package io.wellkeeper.spring.boot;

import io.wellkeeper.LockClient;

/** A store to which the application is connected already. */
interface ApplicationStore {

    /** What {@code wellkeeper.store} calls it. */
    ReusedStore kind();

    /**
     * Connects to it, by connections of the client's own wherever these can be made.
     *
     * @param clients makes the client
     */
    LockClient connect(LockClients clients);
}
