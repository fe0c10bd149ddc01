package io.wellkeeper;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * One acquisition of a {@link DistributedLock}, bound to no thread: whoever has the handle may use and close it. Made
 * for try-with-resources, asynchronous code and virtual threads.
 *
 * <p>A handle is not reentrant: a thread that holds one and acquires the same lock again waits for itself.
 */
public interface LockHandle extends AutoCloseable {

    /** The lock's name. */
    String name();

    /**
     * The number to show to whatever the lock protects, which refuses every number smaller than the largest it has
     * seen. It grows with every acquisition of this lock name by anyone, and is the same at each call on one handle.
     *
     * @return never negative; no round trip
     * @throws LockLostException if the lock was lost
     * @throws IllegalMonitorStateException if it was closed
     * @throws UnsupportedOperationException if the store has no honest token
     */
    long fencingToken();

    /** Whether the lock is held for certain, by this process's own clock; no round trip. Once false it stays false. */
    boolean isHeld();

    /**
     * Does nothing if the lock is held.
     *
     * @throws LockLostException if it was lost
     * @throws IllegalMonitorStateException if it was closed
     */
    void checkHeld();

    /**
     * For how long from now the lock is held for certain even if the store is never heard of again. Heartbeats keep
     * pushing the end away.
     *
     * @return zero if it is not held
     */
    Duration remaining();

    /**
     * Has something run once if the lock is lost, on the client's callback executor; at once if it is lost already;
     * never if {@link #close()} has released it. A loss that comes before {@code close()} is told also if that comes
     * before the callback executor gets to it: {@code close()} throws then, and both say the same.
     *
     * @param action what to run
     * @return to take it back
     */
    Registration onLost(Runnable action);

    /**
     * A future that completes when the lock is lost, on the client's callback executor, and never if it is released first.
     * Completing it oneself changes nothing.
     */
    CompletableFuture<Void> lost();

    /**
     * Has somebody told when another client {@linkplain LockClient#requestRevocation asks} for this lock to be given up,
     * until it is released. What was asked before this call counts too, unless the lock was handed over to this hold by
     * another of the same client, who may have been meant; then the past ends when the store has heard of this call, which
     * it does not wait for.
     *
     * @param listener told on the client's callback executor
     * @return to take it back
     */
    Registration onRevocationRequested(RevocationListener listener);

    /**
     * Releases the lock; does not wait for the store's reply unless {@link LockOptions#awaitRelease()} says so. Closing
     * again does nothing.
     *
     * @throws LockLostException if the lock was lost before; nothing of anybody else's is released
     */
    @Override
    void close();
}
