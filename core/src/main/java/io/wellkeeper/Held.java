package io.wellkeeper;

import java.time.Duration;

/**
 * Something that is held until it is closed or lost, and bound to no thread: whoever has it may use and close it. Made for
 * try-with-resources, asynchronous code and virtual threads. A {@link LockHandle}, a {@link MultiLockHandle} and
 * {@link Permits} are held.
 */
public interface Held extends AutoCloseable {

    /**
     * {@return whether all of it is certainly held, by this process's own clock; once false, it stays false} No round
     * trip. Only {@linkplain LockAdmin#breakLock an operator} can take it away without this process knowing at once;
     * the process then learns of it within a heartbeat. The clock is that of {@link System#nanoTime()}: if that clock
     * stands still while the whole machine is suspended, as it does on Linux, this method goes on returning true after
     * the suspension for as long as was left before it, or until the next heartbeat is answered.
     */
    boolean isHeld();

    /**
     * Does nothing if all of it is held; no round trip.
     *
     * @throws LockLostException if it was lost, or a part of it
     * @throws IllegalMonitorStateException if it was closed
     */
    void checkHeld();

    /**
     * For how long from now all of it is certainly held, even if the store never answers again, unless an operator
     * breaks it. Each acknowledged heartbeat makes this time longer, except for a lease of fixed length.
     *
     * @return zero if it is not held
     */
    Duration remaining();

    /**
     * Runs an action once, on the client's callback executor, when it or the first part of it is lost: at once if it is
     * lost already; never if {@link #close()} has released it. If the loss comes before {@code close()}, the action
     * runs even if the callback executor gets to it only after {@code close()}; {@code close()} throws in that case, so
     * both report the loss. The action should return soon; see {@link ClientOptions#callbackExecutor()}.
     *
     * @param action what to run
     * @return to take it back
     */
    Registration onLost(Runnable action);

    /**
     * Tells a listener, until this is released, when another client {@linkplain LockAdmin#requestRevocation asks} for
     * it, or a part of it, to be given up. The listener is also told of requests that were made before this call. The
     * exception is a lock that another thread of the same client handed over, because an earlier request may have been
     * meant for that thread: then only requests that come after the store has heard of this call count. This method
     * does not wait for the store.
     *
     * @param listener told on the client's callback executor
     * @return to take it back
     */
    Registration onRevocationRequested(RevocationListener listener);

    /**
     * Releases all of it; does not wait for the store's reply unless {@link LockOptions#awaitRelease()} says so.
     * Closing again does nothing.
     *
     * @throws LockLostException if it, or a part of it, was lost before; the rest is released, and nothing that belongs
     *     to anybody else
     */
    @Override
    void close();
}
