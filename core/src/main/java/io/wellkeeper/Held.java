package io.wellkeeper;

import java.time.Duration;

/**
 * Something that is held until it is closed or lost, and bound to no thread: whoever has it may use and close it. Made for
 * try-with-resources, asynchronous code and virtual threads. A {@link LockHandle}, a {@link MultiLockHandle} and
 * {@link Permits} are held.
 */
public interface Held extends AutoCloseable {

    /**
     * {@return whether all of it is held for certain, by this process's own clock; once false, for good} No round trip. Only
     * {@linkplain LockAdmin#breakLock an operator} can take it away before this process knows, which hears of it within a
     * heartbeat. The clock is that of {@link System#nanoTime()}: if it stands still while the whole machine is suspended, as
     * Linux's does, this is true after that for as long as was left before, or until the next heartbeat is answered.
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
     * For how long from now all of it is held for certain even if the store is never heard of again, unless an operator
     * breaks it. Heartbeats keep pushing the end away, but for a lease of fixed length.
     *
     * @return zero if it is not held
     */
    Duration remaining();

    /**
     * Has something run once if it is lost, or the first part of it, on the client's callback executor; at once if it is
     * lost already; never if {@link #close()} has released it. A loss that comes before {@code close()} is told also if that
     * comes before the callback executor gets to it: {@code close()} throws then, and both say the same. What runs there should
     * return soon; see {@link ClientOptions#callbackExecutor()}.
     *
     * @param action what to run
     * @return to take it back
     */
    Registration onLost(Runnable action);

    /**
     * Has somebody told when another client {@linkplain LockAdmin#requestRevocation asks} for it to be given up, or for a
     * part of it, until it is released. What was asked before this call counts too, unless the lock was handed over to this
     * hold by another of the same client, who may have been meant; then the past ends when the store has heard of this call,
     * which it does not wait for.
     *
     * @param listener told on the client's callback executor
     * @return to take it back
     */
    Registration onRevocationRequested(RevocationListener listener);

    /**
     * Releases it; does not wait for the store's reply unless {@link LockOptions#awaitRelease()} says so. Closing again does
     * nothing.
     *
     * @throws LockLostException if it was lost before, or a part of it; the rest is released, and nothing of anybody else's
     */
    @Override
    void close();
}
