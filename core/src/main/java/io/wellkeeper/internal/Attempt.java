package io.wellkeeper.internal;

import org.jspecify.annotations.Nullable;

/** One try to get in, under way: with a ticket or with a lease. It never blocks, and may be called from any thread. */
interface Attempt {

    /** Told how it ends: exactly once, unless it was abandoned first. Called on any thread, holding no lock. */
    interface Listener {

        /** In. Whoever is told must see to it that the grant is left one day. */
        void entered(Grant grant);

        /** Somebody else is in, and this attempt does not wait. */
        void refused();

        /** The store said no for good, or it cannot be. */
        void failed(RuntimeException reason);

        /** Somebody else is in; this attempt has begun to wait. */
        void waiting();
    }

    void start();

    /** Leaves the queue, wherever it is by now; what the store may still give is given back. */
    void abandon();

    /** Tells those who look at the store something new about who wants it. */
    default void describe(String metadata) {}

    /** Whether the store has answered at least once. */
    boolean answered();

    /** Since when it is under way, by the client's clock. */
    long since();

    /** What has gone wrong when the store was last asked; null if nothing has, or it has not said anything. */
    @Nullable
    Throwable trouble();
}
