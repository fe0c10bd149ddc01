package io.wellkeeper.spi;

import java.util.concurrent.CompletionStage;

/**
 * A store that can keep a queue: it numbers tickets, shows all tickets ahead of a ticket, and tells when a ticket
 * departs. All primitives of Wellkeeper are built on these three abilities. Thread-safe.
 *
 * <p>The laws that every implementation keeps, each a test of {@code TicketStoreContract} in {@code wellkeeper-storekit}:
 *
 * <ol>
 *   <li>Among the living tickets of a name the order never changes. The token grows for ever: also after the queue was
 *       empty, and after the store restarted.
 *   <li>Number order is visibility order ({@link TicketQueue#take}).
 *   <li>{@link TicketQueue#tickets} may still show the departed; it never hides the living.
 *   <li>{@link TicketQueue#onDeparture} has no gap: the watch is armed first, and the tickets are checked afterwards.
 *       If a change of the notice came before a departure, watchers are told of the change first.
 *   <li>{@link TicketQueue#remove} is by ticket, may be repeated, and says whether this call did it.
 *   <li>When a session ends its tickets depart; and its owner knows of the end before, or at the moment when, anyone
 *       else can get in ({@link Session#validity}).
 *   <li>A {@code take} whose reply was lost is found again or dies with its session; there are never two places.
 *   <li>A departure is evidence only from a store that still knows the asker's own session. A store that has lost its
 *       data, or has gone back to an older state of its data, shows a queue that proves nothing. It reports no
 *       departure to a session from before; all such sessions are lost. It lets no session begin ({@link #open} is
 *       answered later, or fails) until each session that it may have forgotten must have ended by that session's own
 *       clock.
 * </ol>
 *
 * <p><b>Failure.</b> Stages fail with {@link io.wellkeeper.LockStoreException}, whose message quotes the store. A
 * problem that may pass by itself is a plain {@code LockStoreException}, and clients wait until it has passed where
 * they can. A problem that waiting does not remove is a {@link StoreRefusalException}: it ends the calls that need the
 * store, at once. So does any other exception with which a stage fails or which a method throws, such as the error of a
 * driver that is missing. If the connection of a session breaks and the server refuses a new one, the session may live
 * on. So this object goes on trying until the session's time is up; then it reports that the session has ended.
 */
public interface TicketStore extends AutoCloseable {

    /**
     * Begins a session.
     *
     * @param options what it shall be
     * @param listener told how it fares
     * @return the session. The stage fails with {@link StoreRefusalException} when the store refuses for a reason that
     *     waiting does not remove, and with another {@link io.wellkeeper.LockStoreException} when the store cannot be
     *     reached: then the caller tries again as long as it likes. After the store has lost its data the stage
     *     completes late, or fails with a {@link StoreRecoveringException}, for as long as the eighth law demands
     */
    CompletionStage<Session> open(SessionOptions options, SessionListener listener);

    /**
     * The part of this store that keeps a lock, if the store is made of parts that fail independently. A client begins
     * a session at every part whose locks it uses; the failure of a part costs the client only the locks of that part.
     * This method sends no request, so there is nothing to wait for: an exception that it throws ends the call that
     * needs the lock, at once.
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

    /** Closes the connections that this object opened itself; a connection that was handed in stays open. */
    @Override
    void close();
}
