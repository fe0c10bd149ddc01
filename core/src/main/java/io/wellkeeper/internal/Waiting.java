package io.wellkeeper.internal;

import io.wellkeeper.spi.Notice;
import io.wellkeeper.spi.Ticket;

/** Waits for changes at the store. Its methods are called by threads that hold no monitor, and never block. */
interface Waiting {

    /** The state of the session has changed, so this waiter looks again. */
    void poke();

    /**
     * The wait is in vain: the client is closed, or the store gives no session for a reason that waiting cannot remove.
     */
    default void fail(RuntimeException why) {}

    /** A ticket of this client's own has been given back. */
    default void departed(Ticket ticket) {}

    /** This client has replaced this notice by another one. The store may report the change only later. */
    default void noticeReplaced(Notice old) {}

    /** Called about once a heartbeat, for tasks that only a long wait needs. */
    default void beat() {}
}
