package io.wellkeeper.benchmarks;

import io.wellkeeper.testkit.process.RedisProcess;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.version.Info;
import org.redisson.api.RedissonClient;

/** Where the locks are kept: on which servers, and beside whom ours are measured there. */
enum Store {
    ZOOKEEPER(
            "ZooKeeper", "Curator", "", Duration.ofSeconds(60), List.of(Topology.ONE_SERVER, Topology.THREE_SERVERS)) {
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
            return Map.of(
                    "Apache Curator",
                    version(CuratorFramework.class),
                    "Apache ZooKeeper",
                    Info.MAJOR + "." + Info.MINOR + "." + Info.MICRO);
        }
    },
    REDIS(
            "Redis",
            "Redisson",
            "-redis",
            Duration.ofSeconds(30), // as long as Redisson's leases are by default
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
            return Map.of("Redisson", version(RedissonClient.class), "Redis", RedisProcess.version());
        }
    };

    private final String title;
    private final String peer;
    private final String suffix;
    private final Duration sessionTimeout;
    private final List<Topology> topologies;

    Store(String title, String peer, String suffix, Duration sessionTimeout, List<Topology> topologies) {
        this.title = title;
        this.peer = peer;
        this.suffix = suffix;
        this.sessionTimeout = sessionTimeout;
        this.topologies = topologies;
    }

    String title() {
        return title;
    }

    /** Whose locks are measured beside ours. */
    String peer() {
        return peer;
    }

    /** What the names of the files end with that results are written to. */
    String suffix() {
        return suffix;
    }

    /** Of both sides; so long that heartbeats are too rare to count in a cycle. */
    Duration sessionTimeout() {
        return sessionTimeout;
    }

    /** Where to measure, in the order of the page. */
    List<Topology> topologies() {
        return topologies;
    }

    /** Starts servers for both sides. */
    abstract Servers start(Topology topology);

    /**
     * Connects a peer.
     *
     * @param uri of the server to use
     */
    abstract Locks connect(Contestant peer, String uri) throws Exception;

    /** Of the peer and of the server, by name. */
    abstract Map<String, String> versions();

    private static String version(Class<?> of) {
        return String.valueOf(of.getPackage().getImplementationVersion());
    }
}
