package io.wellkeeper;

/**
 * Locks by name, over any store: the methods that {@link LockClient} and {@link LeaseClient} have in common, for code
 * that needs only mutual exclusion. Thread-safe.
 */
public interface LockSource extends AutoCloseable {

    /**
     * The lock of this name; nothing is sent.
     *
     * @param name non-empty, at most 512 bytes of UTF-8, no NUL; {@code /} makes a hierarchy to look at
     * @return a cheap object
     * @throws IllegalArgumentException if the name breaks a rule, saying which
     * @throws LockClientClosedException if the client is closed
     */
    DistributedLock lock(String name);

    /**
     * As {@link #lock(String)}, with options of its own.
     *
     * @param name as in {@link #lock(String)}
     * @param options in place of {@link ClientOptions#lockDefaults()}
     * @return a cheap object
     * @throws IllegalArgumentException if the name breaks a rule, saying which
     * @throws LockClientClosedException if the client is closed
     */
    DistributedLock lock(String name, LockOptions options);

    /** {@return the options this client was made with, as overridden by the parameters of its URI} */
    ClientOptions options();

    /**
     * Closes the client: waiters fail with {@link LockClientClosedException}, and all held locks are given back, so
     * that their holders lose them. The call waits, for at most {@link ClientOptions#closeTimeout()}, until the store
     * has acknowledged this. Pending notifications still go to the listeners on the callback executor, but the call
     * does not wait for them. Closing again does nothing.
     */
    @Override
    void close();
}
