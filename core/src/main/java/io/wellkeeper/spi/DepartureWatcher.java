package io.wellkeeper.spi;

/** Told when the queue has moved on. Called on the store's thread; never blocks and never throws. */
public interface DepartureWatcher {

    /**
     * This ticket is gone for good. The client takes this call as proof and does not ask the store again, so it must be
     * certain.
     *
     * @param ticket one of those that are watched
     */
    void departed(Ticket ticket);

    /** Something may have changed, and the store cannot say what: look again. It may come early, or twice. */
    void changed();
}
