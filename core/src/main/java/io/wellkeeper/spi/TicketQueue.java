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
 * complete on a thread of the store's or, where the answer is known at once, on the caller's; they fail with
 * {@link io.wellkeeper.LockStoreException}: with {@link SessionLostException} once the session has ended, and with {@link
 * StoreRefusalException} if no waiting helps.
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
     * The living tickets, smallest number first. It may still show the departed; it never hides the living. Who has been
     * told of a departure, and asks then, sees what there was at that departure or later.
     *
     * @return one round trip later
     */
    CompletionStage<List<Ticket>> tickets();

    /**
     * {@return whether a departure is told together with the queue that it left behind, mostly: whoever asks for the
     * {@link #tickets()} while he is being told, is answered at once and without a request} Then it is enough to watch
     * those who block; elsewhere also those who would block after them. Always the same answer for one queue.
     */
    default boolean tellsQueue() {
        return false;
    }

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
     * <p>No departure overtakes a change of the notice that came before it, however it was found out: whoever watches both
     * is told of the change first. So the departure of one who holds something proves nothing by a rule that was changed
     * before.
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

    /**
     * Puts a milder ticket in the place of one's own: the same number, a mode that tolerates more, or fewer permits. It
     * is one step: nobody ever sees neither of them, or both. The old ticket departs, so whoever watches it is told, and
     * must look again.
     *
     * <p>When the reply is lost the store finds out what has become of it, or the session dies; until it is known the
     * stage stays open.
     *
     * @param mine a living ticket of this session, {@linkplain Ticket#isReplaceable() replaceable}
     * @param mode as mild as the old one's, or milder
     * @param permits at most the old one's
     * @return the new ticket; fails with {@link io.wellkeeper.LockStoreException} if the old one is gone
     */
    CompletionStage<Ticket> replace(Ticket mine, Mode mode, int permits);

    /**
     * Writes something new on one's own ticket, for {@link #inspect()} to show.
     *
     * @param mine a ticket of this session
     * @param metadata as in {@link TicketRequest}
     * @return completes when the store knows; nothing happens if the ticket is gone
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
     * Puts up another notice, if nobody else has meanwhile.
     *
     * @param seen what {@link #notice()} has shown
     * @param text at most 16 KiB of UTF-8; empty to take it down
     * @return false if it has changed since, and this text was never up. When the reply is lost it fails, and nobody knows;
     *     so it does if it was sent again and another notice stands by then, because this one may have been up before
     */
    CompletionStage<Boolean> post(Notice seen, String text);

    /**
     * Watches the notice. There is no gap: a change of what is read after this call is reported, and before any {@linkplain
     * #onDeparture departure} that came after it.
     *
     * @param changed run after each change, or after several; it may come early, or twice. Never blocks and never throws
     * @return closing it leaves nothing behind in the store
     */
    Registration onNotice(Runnable changed);
}
