package io.wellkeeper.benchmarks;

import io.wellkeeper.testservers.ZooKeeperEnsemble;
import io.wellkeeper.testservers.ZooKeeperOptions;
import io.wellkeeper.testservers.ZooKeeperProcess;
import java.util.List;
import java.util.Map;
import org.apache.zookeeper.version.Info;

/** ZooKeeper servers. They run as in production: each write is forced to the disk. */
final class ZooKeeperServers implements Servers {

    static final String SCHEME = "zookeeper://";

    private static final int TICKS_PER_SESSION = 20;

    private final List<ZooKeeperProcess> servers;
    private final AutoCloseable owner;
    private final long countedPerLook; // a request for the counters is counted too
    private long looks;

    private ZooKeeperServers(List<ZooKeeperProcess> servers, AutoCloseable owner) {
        this.servers = servers;
        this.owner = owner;
        long first = received();
        this.countedPerLook = received() - first;
    }

    static Servers start(Topology topology) {
        ZooKeeperOptions options = new ZooKeeperOptions(
                (int) Store.ZOOKEEPER.sessionTimeout().toMillis() / TICKS_PER_SESSION,
                ZooKeeperOptions.defaults().syncLimit(),
                Map.of("org.slf4j.simpleLogger.defaultLogLevel", "error"),
                Map.of(),
                List.of());
        if (topology == Topology.ONE_SERVER) {
            ZooKeeperProcess server = ZooKeeperProcess.start(options);
            return new ZooKeeperServers(List.of(server), server);
        }
        ZooKeeperEnsemble ensemble = ZooKeeperEnsemble.start(options);
        return new ZooKeeperServers(ensemble.servers(), ensemble);
    }

    @Override
    public String uri(int turn) {
        return SCHEME + servers.get(turn % servers.size()).address();
    }

    @Override
    public long requests() {
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
    public String version() {
        return Info.MAJOR + "." + Info.MINOR + "." + Info.MICRO;
    }

    @Override
    public void close() throws Exception {
        owner.close();
    }
}
