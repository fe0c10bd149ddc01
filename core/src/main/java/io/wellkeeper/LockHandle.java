package io.wellkeeper;

/**
 * One acquisition of a {@link DistributedLock}.
 *
 * <p>A handle is not reentrant: a thread that holds one and acquires the same lock again waits for itself, and so does a
 * thread that holds the lock by {@link DistributedLock#lock()} and asks for a handle.
 */
public interface LockHandle extends Held {

    /** {@return the lock's name} */
    String name();

    /**
     * The number to send with each write to the storage that the lock protects. The storage refuses every number
     * smaller than the largest it has seen. The number grows with every acquisition of this lock name by anyone, and is
     * the same at each call on one handle. Only readers, who do not exclude each other, may share a number (see {@link
     * DistributedReadWriteLock}). There are gaps between tokens: only their order means anything.
     *
     * @return never negative; no round trip
     * @throws LockLostException if the lock was lost
     * @throws IllegalMonitorStateException if the handle was closed
     * @throws UnsupportedOperationException if the store cannot give a token that always grows
     */
    long fencingToken();
}
