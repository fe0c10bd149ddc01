package io.wellkeeper;

import io.wellkeeper.internal.Clients;
import io.wellkeeper.spi.LeaseStore;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Locks over a {@link LeaseStore}, a store that grants a lease or refuses it and keeps no queue. It offers mutual
 * exclusion with renewal, notification of loss, and fencing where the store can give a token that always grows. There
 * is no order between processes, and there are no other primitives. See {@link LockClient} for stores that keep a
 * queue. Thread-safe.
 *
 * <p>The client renews a lock of {@link #lock} for as long as the holder's process lives and works; when it does not,
 * the lock passes on after {@link ClientOptions#sessionTimeout()}. The client does not renew a lease of {@link
 * #acquireLease}: the lock passes on at the end of the lease, whatever the holder is doing. The holder loses the lock
 * at that moment, as by any other loss, or a little earlier where the store says so ({@link LeaseHandle#remaining()}).
 */
public interface LeaseClient extends LockSource {

    /**
     * Makes a client of a lease store. Nothing is sent yet; the client connects at the first use.
     *
     * @param uri such as {@code zookeeper-simple://host:2181/chroot}; the parameters of {@link LockClient#connect(String)}
     * @return a client that owns its connection
     * @throws IllegalArgumentException if the URI is wrong, or no module on the class path serves its scheme
     */
    static LeaseClient connect(String uri) {
        return connect(uri, ClientOptions.defaults());
    }

    /**
     * As {@link #connect(String)}, with options.
     *
     * @param uri as in {@link #connect(String)}
     * @param options how the client behaves; the parameters of the URI override them
     * @return a client that owns its connection
     * @throws IllegalArgumentException as {@link #connect(String)}
     */
    static LeaseClient connect(String uri, ClientOptions options) {
        return Clients.connectLease(uri, options);
    }

    /**
     * Makes a client over a store that the caller has made. The caller closes the store.
     *
     * @param store the store
     * @return a client; closing it leaves the store open
     */
    static LeaseClient over(LeaseStore store) {
        return over(store, ClientOptions.defaults());
    }

    /**
     * As {@link #over(LeaseStore)}, with options.
     *
     * @param store the store
     * @param options how the client behaves
     * @return a client; closing it leaves the store open
     */
    static LeaseClient over(LeaseStore store, ClientOptions options) {
        return Clients.over(store, options);
    }

    /**
     * Acquires a lock for a fixed time, waiting for as long as it takes. Threads of one process do not hand the lock
     * over among themselves: each acquisition has a lease of its own. One round trip if the lock is free.
     *
     * @param name as in {@link #lock(String)}
     * @param length how long the lease is to last at the store, at least 10 ms. The holder may rely on a little less, counted
     *     from when the request is sent (the stores take off a hundredth and 2 ms); {@link Held#remaining()} says how much
     * @return to be closed; {@link LeaseHandle#extend} makes it last longer
     * @throws InterruptedException if interrupted before or while waiting
     * @throws IllegalArgumentException if the name or the length breaks a rule, saying which
     * @throws LockStoreException if the store refuses for a reason that waiting does not remove
     * @throws LockClientClosedException if the client is, or is being, closed
     */
    LeaseHandle acquireLease(String name, Duration length) throws InterruptedException;

    /**
     * As {@link #acquireLease}, but only if the lock is free; at most one round trip, and not ended by an interrupt. If
     * this client's own earlier release of the lock has failed, for example by a broken connection, the call asks again
     * until that release has been carried out.
     *
     * @param name as in {@link #lock(String)}
     * @param length how long the lease is to last, at least 10 ms
     * @return empty if somebody holds the lock
     * @throws LockStoreException if the store refuses, or does not answer within {@link ClientOptions#storeTimeout()}
     */
    Optional<LeaseHandle> tryAcquireLease(String name, Duration length);

    /**
     * As {@link #acquireLease}, if that can be done in the given time; see {@link DistributedLock#tryAcquire(Duration)}.
     *
     * @param name as in {@link #lock(String)}
     * @param length how long the lease is to last, at least 10 ms
     * @param timeout the longest time to wait for it; zero or less does not wait
     * @return empty if the time passed first
     * @throws InterruptedException if interrupted before or while waiting
     */
    Optional<LeaseHandle> tryAcquireLease(String name, Duration length, Duration timeout) throws InterruptedException;

    /**
     * As {@link #acquireLease}, without blocking any thread; see {@link DistributedLock#acquireAsync()}.
     *
     * @param name as in {@link #lock(String)}
     * @param length how long the lease is to last, at least 10 ms
     * @return the handle, when the lock is held
     * @throws IllegalArgumentException at once, if the name or the length breaks a rule
     */
    CompletableFuture<LeaseHandle> acquireLeaseAsync(String name, Duration length);

    /**
     * As {@link #acquireLeaseAsync}, with a deadline.
     *
     * @param name as in {@link #lock(String)}
     * @param length how long the lease is to last, at least 10 ms
     * @param timeout the longest time to wait for it; zero or less does not wait
     * @return empty if the time passed first
     * @throws IllegalArgumentException at once, if the name or the length breaks a rule
     */
    CompletableFuture<Optional<LeaseHandle>> tryAcquireLeaseAsync(String name, Duration length, Duration timeout);
}
