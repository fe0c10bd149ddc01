package io.wellkeeper.spi;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The session of one client at the store. All tickets of the client live and end with it; one heartbeat keeps them all
 * alive.
 *
 * <p>The store sends no heartbeat by itself: the client calls {@link #heartbeat()} every {@link #heartbeatInterval()}
 * and computes the deadline, by its monotonic clock, from the moment of the call. So the same arithmetic serves every
 * store, and is tested once.
 */
public interface Session {

    /** {@return the id of this session, which no other session ever has} */
    String id();

    /**
     * {@return for how long after the <em>sending</em> of a heartbeat that was acknowledged nobody else can be granted
     * what this session holds, whatever happens to this client} Two margins are already taken off: one for clocks that
     * run at different speeds, and one for news that the store's own parts may not yet have told each other.
     */
    Duration validity();

    /** {@return how often {@link #heartbeat()} is to be called for {@link #validity()} to be true; at most a third of it} */
    Duration heartbeatInterval();

    /**
     * Checks that the session lives, and prolongs it.
     *
     * @return completes when the store has acknowledged the heartbeat. It fails with {@link SessionLostException} when
     *     the session has ended, and with another exception when it is unknown whether the session lives
     */
    CompletionStage<Void> heartbeat();

    /**
     * The queue of a lock.
     *
     * @param name any valid {@linkplain LockNames lock name}
     * @return a cheap object; nothing is sent
     */
    TicketQueue queue(String name);

    /**
     * Names of locks in use in the whole store, in no order.
     *
     * @param prefix what they begin with; empty for all
     * @return the names; the queue of some of them may be empty by now
     */
    CompletionStage<List<String>> names(String prefix);

    /**
     * Advice to the operator about how the store is set up or runs, where that makes the locks less safe than they
     * could be; one sentence each. The store is asked at each call.
     *
     * @return empty if there is nothing to advise, or if the store does not show it
     */
    default CompletionStage<List<String>> warnings() {
        return CompletableFuture.completedFuture(List.of());
    }

    /**
     * Ends the session, and its tickets with it. The listener is not told.
     *
     * @return completes when the store has acknowledged the end; if it never does, the tickets depart when the session
     *     times out
     */
    CompletionStage<Void> close();
}
