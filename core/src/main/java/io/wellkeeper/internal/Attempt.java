package io.wellkeeper.internal;

import org.jspecify.annotations.Nullable;

/** One try to get in, with a ticket or with a lease. It never blocks, and may be called from any thread. */
interface Attempt {

    /**
     * Told how the attempt ends: exactly once, unless it was abandoned first. Called on any thread, holding no lock.
     */
    interface Listener {

        /** The attempt is in. The listener must see to it that the grant is left one day. */
        void entered(Grant grant);

        /** Somebody else is in, and this attempt does not wait. */
        void refused();

        /** The store has refused for good, or the attempt is not possible. */
        void failed(RuntimeException reason);

        /** Somebody else is in; this attempt has begun to wait. */
        void waiting();
    }

    void start();

    /** Ends the attempt in whatever state it is. A ticket or lease that the store gives later is given back. */
    void abandon();

    /** Changes the metadata at the store that says who wants the lock. */
    default void describe(String metadata) {}

    /** Whether the store has answered at least once. */
    boolean answered();

    /** Since when the attempt is under way, by the client's clock. */
    long since();

    /** What went wrong when the store was last asked; null if nothing did, or the store has not answered yet. */
    @Nullable
    Throwable trouble();
}
