package io.wellkeeper.torture;

import io.lettuce.core.RedisClient;
import io.lettuce.core.internal.HostAndPort;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DnsResolvers;
import io.lettuce.core.resource.MappingSocketAddressResolver;
import io.wellkeeper.ClientOptions;
import io.wellkeeper.DistributedLock;
import io.wellkeeper.LeaseClient;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockLostException;
import io.wellkeeper.LockOptions;
import io.wellkeeper.LockSource;
import io.wellkeeper.LockStoreException;
import io.wellkeeper.redis.RedisTicketStore;
import io.wellkeeper.spi.LeaseStoreProvider;
import io.wellkeeper.spi.StoreUri;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.concurrent.CompletableFuture;

/** The locks of one process, as a worker uses them: Wellkeeper's, or those of other libraries, for comparison. */
interface Locks extends AutoCloseable {

    /**
     * Acquires permits.
     *
     * @param lock which lock
     * @param permits how many of its permits
     * @param timeout the longest time to wait; empty to wait without a limit
     * @return empty if the timeout has passed first
     */
    Optional<Grant> acquire(Lock lock, int permits, Optional<Duration> timeout) throws InterruptedException;

    /**
     * Asks for many other locks at once, and gives each back as soon as it is granted. Does not wait for the answers.
     *
     * @param name the beginning of their names
     * @param requests the number of locks
     * @return completed when all requests have been granted or have failed
     */
    default CompletableFuture<?> burst(String name, int requests) {
        throw new UnsupportedOperationException("only Wellkeeper's locks are asked for in bursts");
    }

    /**
     * Counts a latch down once.
     *
     * @param name of the latch
     * @return false if it is not known whether this was done
     */
    default boolean countDown(String name) {
        throw new UnsupportedOperationException("only Wellkeeper's latches are counted down");
    }

    @Override
    void close();

    /** An acquired lock, or acquired permits. */
    interface Grant {

        /** The fencing token; {@link Section#NO_TOKEN} if the grant is lost already. */
        long token();

        /** Whether the lock is held, as far as this process knows. */
        boolean isHeld();

        /** Has a task run when the grant is lost. */
        void onLost(Runnable told);

        /**
         * Gives the lock or the permits back.
         *
         * @return false if it turns out that the grant had been lost before
         */
        boolean release();
    }

    /** Opens locks of other libraries; found by {@link java.util.ServiceLoader}. */
    interface Opener {

        /**
         * Opens locks.
         *
         * @param driver the name of the library
         * @param uri of the store, in Wellkeeper's form
         * @param sessionTimeout for how long the locks of a dead process stay locked
         */
        Locks open(String driver, String uri, Duration sessionTimeout);
    }

    /** So long that a process can connect also on a busy machine. */
    Duration STORE_TIMEOUT = Duration.ofMinutes(2);

    /**
     * Opens Wellkeeper's locks, over any store.
     *
     * @param uri of the store
     * @param mapping ports of servers and the ports of their proxies, {@code port=port,..}, or {@code -}; for Redis
     * @param clientName of the client
     * @param sessionTimeout of its session
     */
    static Wellkeeper wellkeeper(String uri, String mapping, String clientName, Duration sessionTimeout) {
        ClientOptions options = options(clientName, sessionTimeout);
        return new Wellkeeper(
                mapping.equals("-")
                        ? LockClient.connect(uri, options)
                        : LockClient.over(
                                RedisTicketStore.over(RedisClient.create(through(mapping)), StoreUri.parse(uri)),
                                options));
    }

    /** Whether a store has only simple locks. */
    static boolean areSimple(String uri) {
        String scheme = StoreUri.parse(uri).scheme();
        return ServiceLoader.load(LeaseStoreProvider.class).stream()
                .anyMatch(provider -> provider.get().schemes().contains(scheme));
    }

    /**
     * Opens Wellkeeper's simple locks.
     *
     * @param uri of the store
     * @param clientName of the client
     * @param sessionTimeout of its leases
     */
    static Locks simple(String uri, String clientName, Duration sessionTimeout) {
        return new Simple(LeaseClient.connect(uri, options(clientName, sessionTimeout)));
    }

    /** The options of a client with this name. */
    static ClientOptions options(String clientName, Duration sessionTimeout) {
        return ClientOptions.builder()
                .clientName(clientName)
                .sessionTimeout(sessionTimeout)
                .storeTimeout(STORE_TIMEOUT)
                .build();
    }

    private static ClientResources through(String mapping) {
        Map<Integer, Integer> ports = new HashMap<>();
        for (String pair : mapping.split(",")) {
            int middle = pair.indexOf('=');
            ports.put(Integer.valueOf(pair.substring(0, middle)), Integer.valueOf(pair.substring(middle + 1)));
        }
        return ClientResources.builder()
                .socketAddressResolver(MappingSocketAddressResolver.create(
                        DnsResolvers.UNRESOLVED,
                        to -> HostAndPort.of("127.0.0.1", ports.getOrDefault(to.getPort(), to.getPort()))))
                .build();
    }

    /** The locks that {@link #wellkeeper} opens. */
    record Wellkeeper(LockClient client) implements Locks {

        private static final LockOptions STRICT =
                LockOptions.builder().handOvers(0).build();

        @Override
        public Optional<Grant> acquire(Lock lock, int permits, Optional<Duration> timeout) throws InterruptedException {
            if (lock.primitive() == Lock.Primitive.SEMAPHORE) {
                var semaphore = client.semaphore(lock.stored(), lock.permits());
                return timeout.isPresent()
                        ? semaphore.tryAcquire(permits, timeout.get()).map(Handle::new)
                        : Optional.of(new Handle(semaphore.acquire(permits)));
            }
            return Locks.acquire(choose(lock, permits), timeout);
        }

        private DistributedLock choose(Lock lock, int permits) {
            if (lock.primitive() == Lock.Primitive.MUTEX) {
                return client.lock(lock.stored(), lock.strict() ? STRICT : LockOptions.defaults());
            }
            var both = client.readWriteLock(lock.stored());
            return permits == lock.permits() ? both.writeLock() : both.readLock();
        }

        @Override
        public CompletableFuture<?> burst(String name, int requests) {
            return Locks.burst(client, name, requests);
        }

        @Override
        public boolean countDown(String name) {
            try {
                client.latch(name).countDown();
                return true;
            } catch (LockStoreException unknown) {
                return false;
            }
        }

        @Override
        public void close() {
            client.close();
        }
    }

    /** The locks that {@link #simple} opens. */
    record Simple(LeaseClient client) implements Locks {

        @Override
        public Optional<Grant> acquire(Lock lock, int permits, Optional<Duration> timeout) throws InterruptedException {
            return Locks.acquire(client.lock(lock.stored()), timeout);
        }

        @Override
        public CompletableFuture<?> burst(String name, int requests) {
            return Locks.burst(client, name, requests);
        }

        @Override
        public void close() {
            client.close();
        }
    }

    private static Optional<Grant> acquire(DistributedLock lock, Optional<Duration> timeout)
            throws InterruptedException {
        return timeout.isPresent()
                ? lock.tryAcquire(timeout.get()).map(Handle::new)
                : Optional.of(new Handle(lock.acquire()));
    }

    private static CompletableFuture<?> burst(LockSource client, String name, int requests) {
        CompletableFuture<?>[] all = new CompletableFuture<?>[requests];
        for (int i = 0; i < requests; i++) {
            all[i] = client.lock(name + "/burst-" + i).acquireAsync().thenAccept(LockHandle::close);
        }
        return CompletableFuture.allOf(all);
    }

    /** The grant of one of Wellkeeper's locks. */
    record Handle(LockHandle handle) implements Grant {

        @Override
        public long token() {
            try {
                return handle.fencingToken();
            } catch (LockLostException lost) {
                return Section.NO_TOKEN;
            } catch (UnsupportedOperationException none) {
                return System.nanoTime(); // a number that also grows
            }
        }

        @Override
        public boolean isHeld() {
            return handle.isHeld();
        }

        @Override
        public void onLost(Runnable told) {
            handle.onLost(told);
        }

        @Override
        public boolean release() {
            try {
                handle.close();
                return true;
            } catch (LockLostException lost) {
                return false;
            }
        }
    }
}
