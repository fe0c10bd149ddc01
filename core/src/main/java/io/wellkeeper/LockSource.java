package io.wellkeeper;

/**
 * Locks by name, over any store: what a {@link LockClient} and a {@link LeaseClient} have in common, for code that asks for
 * mutual exclusion alone. Thread-safe.
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

    /** {@return the options this client was made with, and what its URI said besides} */
    ClientOptions options();

    /**
     * Fails the waiters with {@link LockClientClosedException}, gives back what is held (which is thereby lost to its
     * holders) and waits, at most {@link ClientOptions#closeTimeout()}, until the store has acknowledged it. What listeners
     * are still to be told is told on the callback executor; nothing waits for that. Closing again does nothing.
     */
    @Override
    void close();
}
