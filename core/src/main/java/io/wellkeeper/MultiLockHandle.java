package io.wellkeeper;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** One acquisition of all members of a {@link DistributedMultiLock}, bound to no thread. */
public interface MultiLockHandle extends AutoCloseable {

    /**
     * The fencing token of each member, by its name.
     *
     * @throws LockLostException if one of them is lost
     * @throws IllegalMonitorStateException if it was closed
     */
    Map<String, Long> fencingTokens();

    /** Whether all members are held for certain, by this process's own clock. Once false it stays false. */
    boolean isHeld();

    /**
     * Does nothing if all members are held.
     *
     * @throws LockLostException if one of them is lost
     * @throws IllegalMonitorStateException if it was closed
     */
    void checkHeld();

    /**
     * For how long from now all members are held for certain even if the store is never heard of again.
     *
     * @return zero if one of them is not held
     */
    Duration remaining();

    /**
     * Has something run once when the first of the members is lost; see {@link LockHandle#onLost}. It counts also if that
     * member is lost while {@link #close()} releases the others, which throws then: both say the same.
     */
    Registration onLost(Runnable action);

    /** As {@link LockHandle#onRevocationRequested}, for a request that concerns any of the members. */
    Registration onRevocationRequested(RevocationListener listener);

    /** As {@link LockHandle#lost()}, for the first member that is lost. */
    CompletableFuture<Void> lost();

    /**
     * Releases all members. Closing again does nothing.
     *
     * @throws LockLostException if one of them was lost before it was its turn; the others are released
     */
    @Override
    void close();
}
