package io.wellkeeper;

import io.wellkeeper.internal.Clients;
import io.wellkeeper.spi.LeaseStore;

/**
 * Locks over a store that can only say yes or no ({@link LeaseStore}): mutual exclusion with renewal, loss announced,
 * and fencing where the store has an honest token; no order between processes, no other primitives. See
 * {@link LockClient} for stores that keep a queue. Thread-safe.
 */
public interface SimpleLockClient extends AutoCloseable {

    /**
     * Connects to a store of simple locks.
     *
     * @param uri such as {@code zookeeper-simple://host:2181/chroot}; the parameters of {@link LockClient#connect(String)}
     * @return a client that owns its connection
     * @throws IllegalArgumentException if the URI is wrong, or no module on the class path serves its scheme
     * @throws LockStoreException if the store cannot be reached
     */
    static SimpleLockClient connect(String uri) {
        return connect(uri, ClientOptions.defaults());
    }

    /** As {@link #connect(String)}, with options; what the URI says goes first. */
    static SimpleLockClient connect(String uri, ClientOptions options) {
        return Clients.connectSimple(uri, options);
    }

    /**
     * Locks over a store that the caller made, and closes.
     *
     * @param store the store
     * @return a client; closing it leaves the store open
     */
    static SimpleLockClient over(LeaseStore store) {
        return over(store, ClientOptions.defaults());
    }

    /** As {@link #over(LeaseStore)}, with options. */
    static SimpleLockClient over(LeaseStore store, ClientOptions options) {
        return Clients.over(store, options);
    }

    /**
     * The lock of this name; nothing is sent.
     *
     * @param name non-empty, at most 512 bytes of UTF-8, no NUL; {@code /} makes a hierarchy to look at
     * @return a cheap object
     * @throws IllegalArgumentException if the name breaks a rule, saying which
     */
    DistributedLock lock(String name);

    /** As {@link #lock(String)}, with options of its own. */
    DistributedLock lock(String name, LockOptions options);

    /** The options this client was made with. */
    ClientOptions options();

    /**
     * Fails the waiters with {@link LockClientClosedException}, gives back what is held (which is thereby lost to its
     * holders) and waits, at most {@link ClientOptions#closeTimeout()}, until the store has acknowledged it. Closing
     * again does nothing.
     */
    @Override
    void close();
}
