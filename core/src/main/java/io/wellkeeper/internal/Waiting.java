package io.wellkeeper.internal;

import io.wellkeeper.spi.Ticket;

/** Something that waits for the store to move on. Called holding no lock; never blocks. */
interface Waiting {

    /** The session has changed for better or worse: look again. */
    void poke();

    /** Nothing comes any more: the client is closed, or the store gives no session for a reason that no waiting removes. */
    default void fail(RuntimeException why) {}

    /** A ticket of this client's own has been given back. */
    default void departed(Ticket ticket) {}

    /** About once a heartbeat: time for what only those who wait long need. */
    default void beat() {}
}
