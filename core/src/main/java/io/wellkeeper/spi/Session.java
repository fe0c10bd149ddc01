package io.wellkeeper.spi;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The presence of one client at the store: all its tickets live and die with it, kept alive by one heartbeat however
 * many they are.
 *
 * <p>The store sends no heartbeat by itself: the client calls {@link #heartbeat()} every {@link #heartbeatInterval()}
 * and keeps the deadline, by its monotonic clock, from the moment of the call. So every store is given the same
 * arithmetic, and it is tested once.
 */
public interface Session {

    /** {@return what names this session and no other, ever} */
    String id();

    /**
     * {@return for how long after the <em>sending</em> of a heartbeat that was acknowledged nobody else can be granted what
     * this session holds, whatever happens to this client} The margin for clocks that run at different speeds, and for what
     * the store's own parts may not yet have told each other, is already taken off.
     */
    Duration validity();

    /** {@return how often {@link #heartbeat()} is to be called for {@link #validity()} to be true; at most a third of it} */
    Duration heartbeatInterval();

    /**
     * Proves that the session lives, and makes it live longer.
     *
     * @return fails with {@link SessionLostException} when the session has ended, with another exception when nobody
     *     knows
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
     * @return names of which the queue may by now be empty
     */
    CompletionStage<List<String>> names(String prefix);

    /**
     * What an operator should change about how the store is set up or runs, because locks are worth less than they could
     * be: each in a sentence. Looked up each time.
     *
     * @return empty if there is nothing, or nothing can be seen
     */
    default CompletionStage<List<String>> warnings() {
        return CompletableFuture.completedFuture(List.of());
    }

    /**
     * Ends the session, and its tickets with it. The listener is not told.
     *
     * @return when the store knows; at the latest, the tickets go with the session's timeout
     */
    CompletionStage<Void> close();
}
