package io.wellkeeper.benchmarks;

import java.util.List;

/** The locks of one contestant in one process. A contestant that has only mutexes does not implement the others. */
interface Locks extends AutoCloseable {

    /**
     * Connects.
     *
     * @param uri of the server to use
     */
    static Locks open(Store store, Contestant contestant, String uri) throws Exception {
        return contestant.isOurs() ? store.connectOurs(contestant, uri) : store.connect(contestant, uri);
    }

    /**
     * A lock for one thread to use.
     *
     * @param name without slashes
     */
    CycleLock lock(String name);

    /** One permit of a semaphore, for one thread to use. */
    default CycleLock permit(String name, int permits) {
        throw new UnsupportedOperationException(name);
    }

    /** The read lock of a read-write lock, for one thread to use. */
    default CycleLock read(String name) {
        throw new UnsupportedOperationException(name);
    }

    /** The write lock of a read-write lock, for one thread to use. */
    default CycleLock write(String name) {
        throw new UnsupportedOperationException(name);
    }

    /** The locks of all these names as one, for one thread to use. It is acquired only if each of them is held. */
    default CycleLock all(List<String> names) {
        throw new UnsupportedOperationException(names.toString());
    }

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

        /** How much of {@link Scoreboard#WHOLE} the holder takes; other holders at the same time may take the rest. */
        default int share() {
            return Scoreboard.WHOLE;
        }
    }
}
