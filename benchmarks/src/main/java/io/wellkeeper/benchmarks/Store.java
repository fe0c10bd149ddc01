package io.wellkeeper.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import net.javacrumbs.shedlock.provider.jdbctemplate.JdbcTemplateLockProvider;
import org.apache.curator.framework.CuratorFramework;
import org.redisson.api.RedissonClient;
import org.springframework.integration.jdbc.lock.JdbcLockRegistry;

/** Where the locks are kept: the servers, and the peers beside which our locks are measured there. */
enum Store {
    ZOOKEEPER(
            "ZooKeeper",
            "Curator",
            "",
            Duration.ofSeconds(60),
            Duration.ZERO,
            List.of(Topology.ONE_SERVER, Topology.THREE_SERVERS)) {
        @Override
        Servers start(Topology topology) {
            return ZooKeeperServers.start(topology);
        }

        @Override
        Locks connect(Contestant peer, String uri) throws InterruptedException {
            return new CuratorLocks(peer, uri);
        }

        @Override
        Map<String, String> versions() {
            return Map.of("Apache Curator", Versions.of(CuratorFramework.class));
        }
    },
    REDIS(
            "Redis",
            "Redisson",
            "-redis",
            Duration.ofSeconds(30), // the default length of Redisson's leases
            Duration.ZERO,
            List.of(Topology.ONE_SERVER, Topology.DISTANT_SERVER)) {
        @Override
        Servers start(Topology topology) {
            return RedisServers.start(topology);
        }

        @Override
        Locks connect(Contestant peer, String uri) {
            return new RedissonLocks(peer, uri);
        }

        @Override
        Map<String, String> versions() {
            return Map.of("Redisson", Versions.of(RedissonClient.class));
        }
    },
    POSTGRES(
            "PostgreSQL",
            "JdbcLockRegistry",
            "-postgres",
            Duration.ofSeconds(10), // for so long a row of JdbcLockRegistry is valid by default
            Duration.ofMillis(100),
            List.of(Topology.ONE_SERVER, Topology.DISTANT_SERVER)) {
        @Override
        Servers start(Topology topology) throws Exception {
            return SqlServers.postgres(topology);
        }

        @Override
        Locks connect(Contestant peer, String uri) {
            return SqlLocks.open(this, peer, uri);
        }

        @Override
        Locks connectOurs(Contestant ours, String uri) {
            return SqlLocks.open(this, ours, uri);
        }

        @Override
        Map<String, String> versions() {
            return sqlVersions();
        }
    },
    MARIADB(
            "MariaDB",
            "JdbcLockRegistry",
            "-mariadb",
            Duration.ofSeconds(10),
            Duration.ofMillis(100),
            List.of(Topology.ONE_SERVER, Topology.DISTANT_SERVER)) {
        @Override
        Servers start(Topology topology) throws Exception {
            return SqlServers.mariaDb(topology);
        }

        @Override
        Locks connect(Contestant peer, String uri) {
            return SqlLocks.open(this, peer, uri);
        }

        @Override
        Locks connectOurs(Contestant ours, String uri) {
            return SqlLocks.open(this, ours, uri);
        }

        @Override
        Map<String, String> versions() {
            return sqlVersions();
        }
    };

    private final String title;
    private final String peer;
    private final String suffix;
    private final Duration sessionTimeout;
    private final Duration pollInterval;
    private final List<Topology> topologies;

    Store(
            String title,
            String peer,
            String suffix,
            Duration sessionTimeout,
            Duration pollInterval,
            List<Topology> topologies) {
        this.title = title;
        this.peer = peer;
        this.suffix = suffix;
        this.sessionTimeout = sessionTimeout;
        this.pollInterval = pollInterval;
        this.topologies = topologies;
    }

    String title() {
        return title;
    }

    /** The name of this store on the command line. */
    String id() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The peer whose locks are measured beside ours. */
    String peer() {
        return peer;
    }

    /** The stores that are tables of a database. */
    static Set<Store> sql() {
        return EnumSet.of(POSTGRES, MARIADB);
    }

    /** The end of the names of the files with the results. */
    String suffix() {
        return suffix;
    }

    /** The session timeout of both sides; so long that heartbeats are too rare to matter in a cycle. */
    Duration sessionTimeout() {
        return sessionTimeout;
    }

    /** The time between two looks of a waiting peer; zero if it is notified. */
    Duration pollInterval() {
        return pollInterval;
    }

    /** The topologies to measure on, in the order of the page. */
    List<Topology> topologies() {
        return topologies;
    }

    /** Starts servers for both sides. */
    abstract Servers start(Topology topology) throws Exception;

    /**
     * Connects a peer.
     *
     * @param uri of the server to use
     */
    abstract Locks connect(Contestant peer, String uri) throws Exception;

    /**
     * Connects one of our contestants.
     *
     * @param uri of the server to use
     */
    Locks connectOurs(Contestant ours, String uri) {
        return new WellkeeperLocks(this, ours, uri);
    }

    /** The versions of the peers and of the libraries that they need, by name. */
    abstract Map<String, String> versions();

    private static Map<String, String> sqlVersions() {
        return Map.of(
                "Spring Integration", Versions.of(JdbcLockRegistry.class),
                "ShedLock", Versions.of(JdbcTemplateLockProvider.class),
                "HikariCP", Versions.of(HikariDataSource.class));
    }
}
