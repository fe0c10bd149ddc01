package io.wellkeeper.spi;

/** Told when the queue has moved on. Called on the store's thread; never blocks and never throws. */
public interface DepartureWatcher {

    /**
     * This ticket is gone for good. The word is taken as proof, nobody looks again: it must be certain.
     *
     * @param ticket one of those that are watched
     */
    void departed(Ticket ticket);

    /** Something may have changed, and the store cannot say what: look again. It may come early, or twice. */
    void changed();
}
