package io.wellkeeper.benchmarks;

import java.util.List;

/** The locks of one contestant in one process, over one connection. */
interface Locks extends AutoCloseable {

    /** Connects. The session outlives every pause, and its heartbeats are too rare to count. */
    static Locks open(Contestant contestant, String address) throws Exception {
        return contestant.isOurs() ? new WellkeeperLocks(contestant, address) : new CuratorLocks(contestant, address);
    }

    /**
     * A lock for one thread to use.
     *
     * @param name without slashes
     */
    CycleLock lock(String name);

    /** One permit of a semaphore, for one thread to use. */
    CycleLock permit(String name, int permits);

    /** The read lock of a read-write lock, for one thread to use. */
    CycleLock read(String name);

    /** The write lock of a read-write lock, for one thread to use. */
    CycleLock write(String name);

    /** Locks of all these names as one, for one thread to use. Acquired only if each of them is held. */
    CycleLock all(List<String> names);

    @Override
    void close();

    /** What a measured thread does with a lock. */
    interface CycleLock {

        void acquire() throws Exception;

        void release() throws Exception;

        /** The fencing token; 0 if there is none. */
        default long token() {
            return 0;
        }

        /** How much of {@link Scoreboard#WHOLE} the holder takes for itself; what is left others may have beside it. */
        default int share() {
            return Scoreboard.WHOLE;
        }
    }
}
