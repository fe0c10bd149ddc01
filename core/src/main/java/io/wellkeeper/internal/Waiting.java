package io.wellkeeper.internal;

import io.wellkeeper.spi.Notice;
import io.wellkeeper.spi.Ticket;

/** Something that waits for the store to move on. Called holding no lock; never blocks. */
interface Waiting {

    /** The session has changed for better or worse: look again. */
    void poke();

    /** Nothing comes any more: the client is closed, or the store gives no session for a reason that no waiting removes. */
    default void fail(RuntimeException why) {}

    /** A ticket of this client's own has been given back. */
    default void departed(Ticket ticket) {}

    /** This client has put up another notice in the place of this one; the store's word of that may come later. */
    default void noticeReplaced(Notice old) {}

    /** About once a heartbeat: time for what only those who wait long need. */
    default void beat() {}
}
