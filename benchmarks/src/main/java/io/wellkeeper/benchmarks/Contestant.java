package io.wellkeeper.benchmarks;

import io.wellkeeper.LockOptions;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/** A way to use a lock that takes part in the comparison: our lock in several orders, or the lock of a peer. */
enum Contestant {
    DEFAULT("default", "", LockOptions.defaults()),
    DEFAULT_AWAITED(
            "default",
            "release awaited",
            LockOptions.builder().awaitRelease(true).build()),
    DEFAULT_TOKEN("default", "token read", LockOptions.defaults()),
    STRICT("strict", "", LockOptions.builder().handOvers(0).build()),
    RETAINED("retained", "", LockOptions.builder().retain(true).build()),
    LEASE_TABLE("lock table", "", LockOptions.defaults(), Store.sql()),
    MUTEX(Store.ZOOKEEPER, "Curator InterProcessMutex"),
    SHARED_MUTEX(Store.ZOOKEEPER, "Curator InterProcessMutex, one object for all threads"),
    SEMAPHORE_MUTEX(Store.ZOOKEEPER, "Curator InterProcessSemaphoreMutex"),
    SEMAPHORE_V2(Store.ZOOKEEPER, "Curator InterProcessSemaphoreV2"),
    READ_WRITE_LOCK(Store.ZOOKEEPER, "Curator InterProcessReadWriteLock"),
    MULTI_LOCK(Store.ZOOKEEPER, "Curator InterProcessMultiLock"),
    R_LOCK(Store.REDIS, "Redisson RLock"),
    FAIR_LOCK(Store.REDIS, "Redisson RFairLock"),
    REGISTRY(Store.sql(), "Spring JdbcLockRegistry"),
    SHED_LOCK(Store.sql(), "ShedLock");

    private final String order;
    private final String variant;
    private final Optional<LockOptions> options;
    private final Set<Store> stores;

    Contestant(String order, String variant, LockOptions options) {
        this(order, variant, options, EnumSet.allOf(Store.class));
    }

    Contestant(String order, String variant, LockOptions options, Set<Store> stores) {
        this.order = order;
        this.variant = variant;
        this.options = Optional.of(options);
        this.stores = stores;
    }

    Contestant(Store store, String peer) {
        this(EnumSet.of(store), peer);
    }

    Contestant(Set<Store> stores, String peer) {
        this.order = peer;
        this.variant = "";
        this.options = Optional.empty();
        this.stores = stores;
    }

    boolean isOurs() {
        return options.isPresent();
    }

    /** Whether this is a way to use locks that are kept in this store. */
    boolean isAt(Store store) {
        return stores.contains(store);
    }

    /** The options of our lock. */
    LockOptions options() {
        return options.orElseThrow();
    }

    /** The order of our lock, or the name of the peer. */
    String order() {
        return order;
    }

    /** What is special besides the order, or empty. */
    String variant() {
        return variant;
    }

    /** Whether each cycle reads the fencing token, like a user that shows it to a storage. */
    boolean readsToken() {
        return this == DEFAULT_TOKEN;
    }

    /** What a newcomer uses while others use this: it must not have kept a ticket from its last visit. */
    Contestant asNewcomer() {
        return this == RETAINED ? DEFAULT : this;
    }

    String title() {
        String name = isOurs() ? "Wellkeeper " + order : order;
        return variant.isEmpty() ? name : name + ", " + variant;
    }
}
