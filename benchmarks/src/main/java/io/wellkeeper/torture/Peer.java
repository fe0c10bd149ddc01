package io.wellkeeper.torture;

import io.wellkeeper.LockClient;
import io.wellkeeper.benchmarks.Versions;
import java.time.Duration;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.redisson.api.RLock;
import org.springframework.integration.jdbc.lock.JdbcLockRegistry;

/** The compared locks: the library, the store, and what users do before each use. */
enum Peer {
    WELLKEEPER_ZOOKEEPER(Arrangement.ZOOKEEPER, LockClient.class, "Wellkeeper", "`isHeld()`", true),
    CURATOR(Arrangement.ZOOKEEPER, InterProcessMutex.class, "Curator `InterProcessMutex`", "nothing", false) {
        @Override
        Locks open(String uri, Duration sessionTimeout) {
            return new CuratorPeer(uri, sessionTimeout, false);
        }
    },
    CURATOR_CHECKED(
            Arrangement.ZOOKEEPER,
            InterProcessMutex.class,
            "Curator `InterProcessMutex`",
            "`isAcquiredInThisProcess()`",
            false) {
        @Override
        Locks open(String uri, Duration sessionTimeout) {
            return new CuratorPeer(uri, sessionTimeout, true);
        }
    },
    WELLKEEPER_REDIS(Arrangement.REDIS, LockClient.class, "Wellkeeper", "`isHeld()`", true),
    R_LOCK(Arrangement.REDIS, RLock.class, "Redisson `RLock`", "nothing", false) {
        @Override
        Locks open(String uri, Duration sessionTimeout) {
            return new RedissonPeer(uri, sessionTimeout, false, false);
        }
    },
    R_LOCK_CHECKED(Arrangement.REDIS, RLock.class, "Redisson `RLock`", "`isHeldByCurrentThread()`", false) {
        @Override
        Locks open(String uri, Duration sessionTimeout) {
            return new RedissonPeer(uri, sessionTimeout, false, true);
        }
    },
    R_FENCED_LOCK(Arrangement.REDIS, RLock.class, "Redisson `RFencedLock`", "nothing", true) {
        @Override
        Locks open(String uri, Duration sessionTimeout) {
            return new RedissonPeer(uri, sessionTimeout, true, false);
        }
    },
    WELLKEEPER_POSTGRESQL(Arrangement.POSTGRESQL, LockClient.class, "Wellkeeper", "`isHeld()`", true),
    LOCK_REGISTRY(
            Arrangement.POSTGRESQL, JdbcLockRegistry.class, "Spring Integration `JdbcLockRegistry`", "nothing", false) {
        @Override
        Locks open(String uri, Duration sessionTimeout) {
            return new SpringPeer(uri, sessionTimeout);
        }
    };

    final Arrangement store;
    final String title;
    final String check;
    final boolean fenced;
    private final Class<?> type;

    Peer(Arrangement store, Class<?> type, String title, String check, boolean fenced) {
        this.store = store;
        this.type = type;
        this.title = title;
        this.check = check;
        this.fenced = fenced;
    }

    /** Opens the locks of another library. */
    Locks open(String uri, Duration sessionTimeout) {
        throw new IllegalStateException(this + " is no peer");
    }

    /** The driver of the locks in a {@link Plan}. */
    String driver() {
        return type == LockClient.class ? Plan.WELLKEEPER : name();
    }

    String version() {
        return Versions.of(type);
    }

    /**
     * A substitute for the token of a lock that has none. All processes of a run share this clock, so it grows from
     * grant to grant, and the writes that the resource refuses by it are those that would have come in late.
     */
    static long timeOfTheGrant() {
        return System.nanoTime();
    }
}
