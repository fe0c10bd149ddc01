package io.wellkeeper.spi;

/**
 * Implemented by the locks and handles of a client over a {@link TicketStore}, for the store's own classes: a database
 * can do more with a ticket than the client knows of. Not for users.
 */
public interface TicketHolder {

    /**
     * {@return the ticket by which the lock is held; if this is a lock and no handle, the ticket of the calling thread}
     *
     * @throws io.wellkeeper.LockLostException if the lock was lost
     * @throws IllegalMonitorStateException if it is not held
     * @throws UnsupportedOperationException if the store has no tickets
     */
    Ticket ticket();

    /**
     * Declares that somebody else may remove the ticket from the store, as soon as its holder is ready to release the
     * lock. From then on the departure of the ticket does not count as a loss, and the ticket is not handed over within
     * this client. Its holder can no longer downgrade to reading by it, acquire the lock once more by it, or wait for a
     * condition. The holder still has to release the lock.
     *
     * @throws IllegalStateException if the hold is not the only use of its ticket: nested, beside another, or shared
     * @throws io.wellkeeper.LockLostException if the lock was lost
     * @throws IllegalMonitorStateException if it is not held
     * @throws UnsupportedOperationException if the store has no tickets
     */
    void expectRemoval();
}
