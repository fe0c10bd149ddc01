package io.wellkeeper;

import io.wellkeeper.internal.Clients;
import io.wellkeeper.spi.TicketStore;
import java.time.Duration;
import java.util.List;

/**
 * The entry point: locks that are fair and fenced, over a store that keeps a queue. A client has one session at the
 * store, with one heartbeat, however many locks it uses; a program needs only one client. Thread-safe.
 *
 * <pre>{@code
 * try (LockClient client = LockClient.connect("zookeeper://zk1:2181,zk2:2181,zk3:2181/shop")) {
 *     DistributedLock lock = client.lock("orders/42");
 *     ...
 * }
 * }</pre>
 *
 * <p><b>Names.</b> A lock, a read-write lock, a member of a multi-lock and an election of the same name use the same
 * queue, and exclude each other. The name of a semaphore, a latch or a barrier must not be used for anything else. If a
 * client uses one name for a lock and for a semaphore at the same time, the attempt to acquire the second of them
 * throws an {@link IllegalStateException}.
 */
public interface LockClient extends LockSource {

    /**
     * Connects to a store. The module of the store must be on the class path.
     *
     * <p>Every store understands the parameters {@code sessionTimeout}, {@code storeTimeout} and {@code closeTimeout}
     * (such as {@code 10s} or {@code 500ms}) and {@code clientName}.
     *
     * @param uri such as {@code zookeeper://host1:2181,host2:2181/chroot?sessionTimeout=10s}
     * @return a client that owns its connection
     * @throws IllegalArgumentException if the URI is wrong, or no module on the class path serves its scheme
     * @throws LockStoreException if the store refuses, or cannot be reached within {@link
     *     ClientOptions#storeTimeout()}. A store that answers, but lets no session begin yet because it may have
     *     forgotten sessions that still live, is not a failure: the call waits for it
     */
    static LockClient connect(String uri) {
        return connect(uri, ClientOptions.defaults());
    }

    /**
     * As {@link #connect(String)}, with options.
     *
     * @param uri as in {@link #connect(String)}
     * @param options how the client behaves; the URI overrides them
     * @return a client that owns its connection
     * @throws IllegalArgumentException as {@link #connect(String)}
     * @throws LockStoreException as {@link #connect(String)}; not if a {@linkplain ClientOptions#time() clock} is
     *     given, because the call then does not wait for the first session
     */
    static LockClient connect(String uri, ClientOptions options) {
        return Clients.connect(uri, options);
    }

    /**
     * Makes a client over a store that the caller has made. The caller closes the store.
     *
     * @param store the store
     * @return a client with a session of its own; closing it leaves the store open
     * @throws LockStoreException as {@link #connect(String)}
     */
    static LockClient over(TicketStore store) {
        return over(store, ClientOptions.defaults());
    }

    /**
     * As {@link #over(TicketStore)}, with options.
     *
     * @param store the store
     * @param options how the client behaves
     * @return a client with a session of its own; closing it leaves the store open
     * @throws LockStoreException as {@link #connect(String, ClientOptions)}
     */
    static LockClient over(TicketStore store, ClientOptions options) {
        return Clients.over(store, options);
    }

    /**
     * The read-write lock of this name; nothing is sent.
     *
     * @param name as in {@link #lock(String)}
     * @return a cheap object
     * @throws IllegalArgumentException if the name breaks a rule, saying which
     */
    DistributedReadWriteLock readWriteLock(String name);

    /**
     * As {@link #readWriteLock(String)}, with options of its own.
     *
     * @param name as in {@link #lock(String)}
     * @param options of both of its locks
     * @return a cheap object
     * @throws IllegalArgumentException if the name breaks a rule, saying which
     */
    DistributedReadWriteLock readWriteLock(String name, LockOptions options);

    /**
     * The semaphore of this name; nothing is sent.
     *
     * @param name as in {@link #lock(String)}
     * @param permits the total number of permits, 1 or more; see {@link DistributedSemaphore}
     * @return a cheap object
     * @throws IllegalArgumentException if the name breaks a rule, or the number is less than 1
     */
    DistributedSemaphore semaphore(String name, int permits);

    /**
     * As {@link #semaphore(String, int)}, with options of its own.
     *
     * @param name as in {@link #lock(String)}
     * @param permits the total number of permits, 1 or more
     * @param options whether releases are awaited, a reason, and labels
     * @return a cheap object
     * @throws IllegalArgumentException if the name breaks a rule, the number is less than 1, or the options set
     *     something that only locks have
     */
    DistributedSemaphore semaphore(String name, int permits, LockOptions options);

    /**
     * Several locks as one.
     *
     * @param names one or more, each once
     * @return all or none of them
     * @throws IllegalArgumentException if there is no name, one twice, or one that breaks a rule
     */
    DistributedMultiLock all(String... names);

    /**
     * Several locks as one; they may be read locks and write locks too.
     *
     * @param locks one or more of this client's, of different names
     * @return all or none of them
     * @throws IllegalArgumentException if there is none, or two of one name, or one of another client
     */
    DistributedMultiLock all(List<? extends DistributedLock> locks);

    /**
     * The count-down latch of this name; nothing is sent.
     *
     * @param name as in {@link #lock(String)}
     * @return a cheap object
     * @throws IllegalArgumentException if the name breaks a rule, saying which
     */
    DistributedLatch latch(String name);

    /**
     * The barrier of this name; nothing is sent.
     *
     * @param name as in {@link #lock(String)}
     * @param parties how many parties wait for each other, 1 or more; every user of the name must give the same number
     * @return a cheap object
     * @throws IllegalArgumentException if the name breaks a rule, or the number is less than 1
     */
    DistributedBarrier barrier(String name, int parties);

    /**
     * A candidate for the leadership of this name; it does not stand yet.
     *
     * @param name as in {@link #lock(String)}
     * @param listener told when the candidate is elected and when it is deposed
     * @return the candidate; call {@link LeaderElection#campaign() campaign()} to make it stand, and close it at the
     *     end
     * @throws IllegalArgumentException if the name breaks a rule, saying which
     */
    LeaderElection election(String name, LeaderElection.Listener listener);

    /**
     * {@return the operator's view of all locks in this client's store, also of those that other clients use} Nothing
     * is sent.
     */
    LockAdmin admin();

    /**
     * For how long from now this client's session is certain to live, even if the store never answers again. Measured
     * by this process's own clock; for metrics and health checks. Each acknowledged heartbeat makes it longer. No round
     * trip.
     *
     * @return the remaining time. If the store is made of parts, each part that was used has a session of its own, and
     *     this is the shortest time among them. Zero if one of the sessions has not begun yet, or has ended and has no
     *     successor yet, or if the client is closed
     */
    Duration sessionRemaining();
}
