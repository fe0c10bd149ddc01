package io.wellkeeper;

import io.wellkeeper.internal.Clients;
import io.wellkeeper.spi.TicketStore;
import java.util.List;

/**
 * The entry point: locks that are fair and fenced, over a store that keeps a queue. A client is one session at the
 * store with one heartbeat, however many locks it uses; a program needs one. Thread-safe.
 *
 * <pre>{@code
 * try (LockClient client = LockClient.connect("zookeeper://zk1:2181,zk2:2181,zk3:2181/shop")) {
 *     DistributedLock lock = client.lock("orders/42");
 *     ...
 * }
 * }</pre>
 */
public interface LockClient extends SimpleLockClient {

    /**
     * Connects to a store. The module of the store must be on the class path.
     *
     * <p>Every store understands the parameters {@code sessionTimeout}, {@code storeTimeout} and {@code closeTimeout}
     * (such as {@code 10s} or {@code 500ms}) and {@code clientName}.
     *
     * @param uri such as {@code zookeeper://host1:2181,host2:2181/chroot?sessionTimeout=10s}
     * @return a client that owns its connection
     * @throws IllegalArgumentException if the URI is wrong, or no module on the class path serves its scheme
     * @throws LockStoreException if the store cannot be reached within {@link ClientOptions#storeTimeout()}
     */
    static LockClient connect(String uri) {
        return connect(uri, ClientOptions.defaults());
    }

    /** As {@link #connect(String)}, with options; what the URI says goes first. */
    static LockClient connect(String uri, ClientOptions options) {
        return Clients.connect(uri, options);
    }

    /**
     * Locks over a store that the caller made, and closes.
     *
     * @param store the store
     * @return a client with a session of its own; closing it leaves the store open
     * @throws LockStoreException if the store cannot be reached within {@link ClientOptions#storeTimeout()}
     */
    static LockClient over(TicketStore store) {
        return over(store, ClientOptions.defaults());
    }

    /** As {@link #over(TicketStore)}, with options. */
    static LockClient over(TicketStore store, ClientOptions options) {
        return Clients.over(store, options);
    }

    /**
     * Who holds a lock and who waits for it, in all processes.
     *
     * @param name the lock's name
     * @return what the store showed; a few round trips
     * @throws LockStoreException if the store does not answer within {@link ClientOptions#storeTimeout()}
     */
    LockStatus inspect(String name);

    /**
     * The names of locks in use, sorted.
     *
     * @param prefix what they begin with; empty for all
     * @return names of which nobody may hold the lock any more
     * @throws LockStoreException if the store does not answer within {@link ClientOptions#storeTimeout()}
     */
    List<String> names(String prefix);
}
