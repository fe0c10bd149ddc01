package io.wellkeeper.spi;

import java.util.concurrent.CompletionStage;

/**
 * A store that can keep a queue: it numbers tickets, shows everything ahead of one, and tells when one departs. From
 * this alone every primitive of Wellkeeper is made. Thread-safe.
 *
 * <p>The laws that every implementation keeps, each a test of {@code TicketStoreContract} in {@code wellkeeper-storekit}:
 *
 * <ol>
 *   <li>Among the living tickets of a name the order never changes. The token grows for ever: also after the queue was
 *       empty, and after the store restarted.
 *   <li>Number order is visibility order ({@link TicketQueue#take}).
 *   <li>{@link TicketQueue#tickets} may still show the departed; it never hides the living.
 *   <li>{@link TicketQueue#onDeparture} has no gap: armed, then checked; and no departure is told before a change of the
 *       notice that came first.
 *   <li>{@link TicketQueue#remove} is by ticket, may be repeated, and says whether this call did it.
 *   <li>When a session ends its tickets depart; and its owner knows no later than anyone else can get in
 *       ({@link Session#validity}).
 *   <li>A {@code take} whose reply was lost is found again or dies with its session; there are never two places.
 *   <li>A departure is evidence only from a store that still knows the asker's own session. A store that has lost its data,
 *       or has gone back to an older state of it, shows a queue that proves nothing: it tells no departure to a session from
 *       before, all of which are lost; and it lets no session begin ({@link #open} is answered later, or fails) before each
 *       one that it may have forgotten must have ended by its own clock.
 * </ol>
 *
 * <p><b>Failure.</b> Stages fail with {@link io.wellkeeper.LockStoreException}, in the words of the store. What may pass is
 * plain, and clients wait for it where they can. What no waiting removes is a {@link StoreRefusalException}: it ends
 * the calls that need the store, at once. Anything else that a stage fails with, or that a method throws, such as the error of a
 * driver that is not there, ends them too. If the connection of a session breaks and the store refuses another, the session
 * may live on, and so the store goes on trying until the session's time is up; then it says that the session has ended.
 */
public interface TicketStore extends AutoCloseable {

    /**
     * Begins a session.
     *
     * @param options what it shall be
     * @param listener told how it fares
     * @return fails with {@link StoreRefusalException} when the store refuses for a reason that no waiting removes, and with
     *     another {@link io.wellkeeper.LockStoreException} when it cannot be reached: then the caller tries again as long
     *     as it likes. After the store has lost its data this is answered late, or fails with a {@link
     *     StoreRecoveringException}, for as long as the eighth law demands
     */
    CompletionStage<Session> open(SessionOptions options, SessionListener listener);

    /**
     * The part of this store that keeps a lock, if it is made of parts that fail each by itself. A client begins a session
     * at every part whose locks it uses; what befalls one costs it only the locks of that part. Nothing is asked for that, and so
     * there is nothing to wait for: what this throws ends the call that needs a lock, at once.
     *
     * @param name the name of a lock, or a digest of it if it is long; the lock may keep more queues beside its own in the
     *     same part. Empty for the part at which a client begins its first session
     * @return for the same name always the same object; this one, if the store is of one piece
     */
    default TicketStore shard(String name) {
        return this;
    }

    /** {@return where this store is, for messages: an address without secrets} */
    String address();

    /** Lets go of what this object opened itself; a connection that was handed in stays open. */
    @Override
    void close();
}
