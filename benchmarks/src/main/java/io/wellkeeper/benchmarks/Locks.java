package io.wellkeeper.benchmarks;

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

    @Override
    void close();

    /** What a measured thread does with a lock. */
    interface CycleLock {

        void acquire() throws Exception;

        void release() throws Exception;

        /** The fencing token; 0 if there is none. */
        long token();
    }
}
