package io.wellkeeper.spi;

/**
 * What the locks and handles of a client over a {@link TicketStore} are besides, for the store's own classes: a database
 * can do more with a ticket than the client knows of. Not for users.
 */
public interface TicketHolder {

    /**
     * {@return the ticket by which the lock is held; of a lock, by the calling thread}
     *
     * @throws io.wellkeeper.LockLostException if the lock was lost
     * @throws IllegalMonitorStateException if it is not held
     * @throws UnsupportedOperationException if the store has no tickets
     */
    Ticket ticket();

    /**
     * Says that the ticket may be removed from the store by somebody else as soon as its holder is ready to release it:
     * that it departs does not count as a loss any more, and nobody else of this client gets the lock by it; nor can its holder
     * read on by it, acquire it once more, or wait for a condition. The holder still has to release the lock.
     *
     * @throws IllegalStateException if the hold is not the only use of its ticket: nested, beside another, or shared
     * @throws io.wellkeeper.LockLostException if the lock was lost
     * @throws IllegalMonitorStateException if it is not held
     * @throws UnsupportedOperationException if the store has no tickets
     */
    void expectRemoval();
}
