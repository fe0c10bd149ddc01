package io.wellkeeper;

/**
 * Permits of a {@link DistributedSemaphore} that were acquired together. The {@linkplain #fencingToken() fencing token}
 * is that of the acquisition, and larger than all tokens before it. Several holders have tokens at the same time, so it
 * is only of use to a storage that can tell the holders apart.
 */
public interface Permits extends LockHandle {

    /** {@return how many permits are held; 0 if they were released or lost} No round trip. */
    int count();

    /**
     * Gives some of the permits back, and keeps the rest. Giving back the last one has the effect of {@link #close()};
     * calling {@code close()} after that does no harm.
     *
     * @param permits 1 or more, and at most {@link #count()}
     * @throws IllegalArgumentException if it is less than 1
     * @throws LockLostException if they were lost
     * @throws IllegalMonitorStateException if fewer are held; nothing is given back
     */
    void release(int permits);
}
