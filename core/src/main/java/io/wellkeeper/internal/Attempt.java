package io.wellkeeper.internal;

import io.wellkeeper.LockStoreException;
import io.wellkeeper.spi.Ticket;

/** One try to get in, under way: with a ticket or with a lease. It never blocks, and may be called from any thread. */
interface Attempt {

    /** Told how it ends: exactly once, unless it was abandoned first. Called on any thread, holding no lock. */
    interface Listener {

        /** In. Whoever is told must see to it that the grant is left one day. */
        void entered(Grant grant);

        /** Somebody else is in, and this attempt does not wait. */
        void refused();

        /** The store said no for good. */
        void failed(LockStoreException reason);

        /** Somebody else is in; this attempt has begun to wait. */
        void waiting();
    }

    void start();

    /** Leaves the queue, wherever it is by now; what the store may still give is given back. */
    void abandon();

    /** The session has changed for better or worse: look again. */
    void poke();

    /** A ticket of this client's own has been given back. */
    default void departed(Ticket ticket) {}

    /** About once a heartbeat: time for what only those who wait long need. */
    default void beat() {}

    /** Whether the store has answered at least once. */
    boolean answered();
}
