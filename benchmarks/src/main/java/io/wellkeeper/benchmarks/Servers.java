package io.wellkeeper.benchmarks;

import io.wellkeeper.testkit.process.ZooKeeperEnsemble;
import io.wellkeeper.testkit.process.ZooKeeperOptions;
import io.wellkeeper.testkit.process.ZooKeeperProcess;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** The ZooKeeper servers that both sides use. They run as in production: every write is forced to the disk. */
final class Servers implements AutoCloseable {

    /** Long, so that heartbeats are too rare to count. */
    static final Duration SESSION_TIMEOUT = Duration.ofSeconds(60);

    private static final int TICKS_PER_SESSION = 20;

    private final List<ZooKeeperProcess> servers;
    private final AutoCloseable owner;
    private final long countedPerLook; // to ask for the counters is counted, too
    private long looks;

    private Servers(List<ZooKeeperProcess> servers, AutoCloseable owner) {
        this.servers = servers;
        this.owner = owner;
        long first = received();
        this.countedPerLook = received() - first;
    }

    static Servers start(Topology topology) {
        ZooKeeperOptions options = new ZooKeeperOptions(
                (int) SESSION_TIMEOUT.toMillis() / TICKS_PER_SESSION,
                Map.of("org.slf4j.simpleLogger.defaultLogLevel", "error"));
        if (topology == Topology.ONE_SERVER) {
            ZooKeeperProcess server = ZooKeeperProcess.start(options);
            return new Servers(List.of(server), server);
        }
        ZooKeeperEnsemble ensemble = ZooKeeperEnsemble.start(options);
        return new Servers(ensemble.servers(), ensemble);
    }

    /** The server for a client to use; both sides get the same one, and every one comes round. */
    String address(int turn) {
        return servers.get(turn % servers.size()).address();
    }

    /** The requests that all clients have sent; from which moment on is arbitrary. */
    long requests() {
        looks++;
        return received() - looks * countedPerLook;
    }

    private long received() {
        long sum = 0;
        for (ZooKeeperProcess server : servers) {
            String value = server.counters().get("zk_packets_received");
            if (value == null) {
                throw new IllegalStateException("server " + server.id() + " does not count its requests");
            }
            sum += Long.parseLong(value);
        }
        return sum;
    }

    @Override
    public void close() throws Exception {
        owner.close();
    }
}
