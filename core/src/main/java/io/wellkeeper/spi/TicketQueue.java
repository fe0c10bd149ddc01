package io.wellkeeper.spi;

import io.wellkeeper.Registration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * The queue of one lock name, as one session sees it.
 *
 * <p>No method blocks for longer than sending takes, and requests are carried out in the order in which one thread made
 * them: {@code remove(t)} followed by {@code take(r)} gives {@code t} back before the new number is drawn, and {@code
 * take(r)} followed by {@code notice()} shows the notice that stood when the number was drawn, or a later one. Stages
 * complete on a thread of the store or, where the answer is known at once, on the caller's thread. They fail with
 * {@link io.wellkeeper.LockStoreException}: with {@link SessionLostException} once the session has ended, and with
 * {@link StoreRefusalException} if waiting does not help.
 */
public interface TicketQueue {

    /**
     * Takes the next number and sees everything ahead of it, in one round trip.
     *
     * <p>When the reply is lost the ticket is found again by the request's id, or dies with the session; there are
     * never two tickets. Until the store knows which of the two has happened, the stage stays open.
     *
     * <p>Number order is visibility order: once this has answered {@code n}, every later reader sees each living ticket
     * below {@code n}.
     *
     * @param request what the ticket shall be
     * @return the place in the queue
     */
    CompletionStage<Place> take(TicketRequest request);

    /**
     * The living tickets, smallest number first. It may still show the departed; it never hides the living. A caller
     * that asks after it was told of a departure sees the queue as it was at that departure or later.
     *
     * @return one round trip later
     */
    CompletionStage<List<Ticket>> tickets();

    /**
     * {@return whether the report of a departure mostly carries the remaining queue, so that a watcher which asks for
     * the {@link #tickets()} while it is being told gets its answer at once and without a request} If so, it is enough
     * to watch the tickets that block; otherwise the tickets that would block next are watched too. Always the same
     * answer for one queue.
     */
    default boolean tellsQueue() {
        return false;
    }

    /**
     * As {@link #tickets()}, with the metadata that their owners wrote. It is only for inspection, so it may cost more.
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
     * a ticket that has gone by now is reported too. While the session lives no departure is missed. If this session
     * itself removes a ticket that it watches, the store need not report that departure.
     *
     * <p>No departure overtakes a change of the notice that came before it, however the departure was found out: a
     * watcher of both is told of the change first. So nobody judges the departure of a holder by a rule that had been
     * changed before it.
     *
     * @param any the tickets to watch
     * @param watcher told of each departure at least once
     * @return closing it leaves nothing behind in the store
     */
    Registration onDeparture(Collection<Ticket> any, DepartureWatcher watcher);

    /**
     * Asks whether no other session has a ticket behind this one.
     *
     * @param mine a living ticket of this session
     * @param arrived run, at most once, as soon as another session's ticket stands behind {@code mine}; only if the
     *     answer was true; dropped when {@code mine} is removed. It may run early
     * @return false if another session's ticket stands behind {@code mine} already
     */
    CompletionStage<Boolean> alone(Ticket mine, Runnable arrived);

    /**
     * Replaces an own ticket by a milder one: the same number, with a mode that tolerates more or with fewer permits.
     * The replacement is atomic: every reader sees exactly one of the two tickets. The old ticket departs, so its
     * watchers are told, and must look again.
     *
     * <p>When the reply is lost the store finds out whether the ticket was replaced, or the session dies; until then
     * the stage stays open.
     *
     * @param mine a living ticket of this session, {@linkplain Ticket#isReplaceable() replaceable}
     * @param mode as mild as the old one's, or milder
     * @param permits at most the old one's
     * @return the new ticket; fails with {@link io.wellkeeper.LockStoreException} if the old one is gone
     */
    CompletionStage<Ticket> replace(Ticket mine, Mode mode, int permits);

    /**
     * Replaces the metadata of an own ticket, which {@link #inspect()} shows.
     *
     * @param mine a ticket of this session
     * @param metadata as in {@link TicketRequest}
     * @return completes when the store has acknowledged it; nothing happens if the ticket is gone
     */
    CompletionStage<Void> describe(Ticket mine, String metadata);

    /**
     * The notice of this name. It is kept until it is replaced or cleared; but once the last of the tickets of this name
     * has departed, the store may forget it at any time. A name that never had a ticket keeps its notice. As long as a
     * notice stands, no number of a ticket is drawn twice, and each is larger than all that were drawn before: if numbers
     * begin anew, the notice is forgotten.
     *
     * @return one round trip later; empty text if there is none
     */
    CompletionStage<Notice> notice();

    /**
     * Replaces the notice, if nobody else has replaced it meanwhile.
     *
     * @param seen what {@link #notice()} has shown
     * @param text at most 16 KiB of UTF-8; empty to take it down
     * @return true if this text replaced the notice {@code seen}; false if that notice had changed, and this text was
     *     never up. The stage fails if the reply is lost: nobody knows then whether the text was up. It fails too if
     *     the request was sent again and finds another notice, because this text may have been up before that one
     */
    CompletionStage<Boolean> post(Notice seen, String text);

    /**
     * Watches the notice. There is no gap: every change to a notice that is read after this call is reported, and is
     * reported before any {@linkplain #onDeparture departure} that came after the change.
     *
     * @param changed run after each change, or once after several; it may run early, or twice. It never blocks and
     *     never throws
     * @return closing it leaves nothing behind in the store
     */
    Registration onNotice(Runnable changed);
}
