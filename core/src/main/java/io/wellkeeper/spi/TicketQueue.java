package io.wellkeeper.spi;

import io.wellkeeper.Registration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * The queue of one lock name, as one session sees it.
 *
 * <p>No method blocks for longer than sending takes, and requests are carried out in the order in which one thread made
 * them: {@code remove(t)} followed by {@code take(r)} gives {@code t} back before the new number is drawn. Stages
 * complete on a thread of the store's or, where the answer is known at once, on the caller's; they fail with
 * {@link io.wellkeeper.LockStoreException}, or with {@link SessionLostException} once the session has ended.
 */
public interface TicketQueue {

    /**
     * Takes the next number and sees everything ahead of it, in one round trip.
     *
     * <p>When the reply is lost the ticket is found again by the request's id, or dies with the session; there are
     * never two. Until the store knows which of the two, the stage stays open.
     *
     * <p>Number order is visibility order: once this has answered {@code n}, every later reader sees each living ticket
     * below {@code n}.
     *
     * @param request what the ticket shall be
     * @return the place in the queue
     */
    CompletionStage<Place> take(TicketRequest request);

    /**
     * The living tickets, smallest number first. It may still show the departed; it never hides the living.
     *
     * @return one round trip later
     */
    CompletionStage<List<Ticket>> tickets();

    /**
     * As {@link #tickets()}, with what their owners wrote on them; for onlookers, so it may cost more.
     *
     * @return smallest number first
     */
    CompletionStage<List<TicketInfo>> inspect();

    /**
     * Gives a ticket back. It touches this very ticket and no other, and may be repeated.
     *
     * @param ticket one that {@link #take} or {@link #tickets} returned
     * @return true if this call removed it, false if it was gone
     */
    CompletionStage<Boolean> remove(Ticket ticket);

    /**
     * Watches for the departure of any of these tickets. There is no gap: it is armed first and checked afterwards, so
     * a ticket that has gone by now is reported too. While the session lives no departure is missed. A watch that is armed on a
     * ticket which this session then removes itself needs no report.
     *
     * @param any the tickets to watch
     * @param watcher told of each departure at least once
     * @return closing it leaves nothing behind in the store
     */
    Registration onDeparture(Collection<Ticket> any, DepartureWatcher watcher);

    /**
     * Whether no other session has a ticket behind this one.
     *
     * @param mine a living ticket of this session
     * @param arrived run, at most once, as soon as another session's ticket stands behind {@code mine}; only if the
     *     answer was true; forgotten when {@code mine} is removed. It may come early
     * @return false if somebody is there already
     */
    CompletionStage<Boolean> alone(Ticket mine, Runnable arrived);
}
