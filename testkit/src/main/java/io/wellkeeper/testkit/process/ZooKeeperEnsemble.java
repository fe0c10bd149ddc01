package io.wellkeeper.testkit.process;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Three ZooKeeper servers that form one ensemble, each in a JVM of its own. Not thread-safe. */
public final class ZooKeeperEnsemble implements AutoCloseable {

    private static final int SIZE = 3;
    private static final int ATTEMPTS = 5;
    private static final Duration LEADER_TIMEOUT = Duration.ofSeconds(60);
    private static final long POLL_NANOS = 20_000_000;

    private final List<ZooKeeperProcess> servers;

    private ZooKeeperEnsemble(List<ZooKeeperProcess> servers) {
        this.servers = servers;
    }

    /** Starts three servers with the default options and waits until all serve. */
    public static ZooKeeperEnsemble start() {
        return start(ZooKeeperOptions.defaults());
    }

    /**
     * Starts three servers and waits until all serve.
     *
     * @param options how they run
     * @return the ensemble
     */
    public static ZooKeeperEnsemble start(ZooKeeperOptions options) {
        for (int attempt = 1; ; attempt++) {
            ZooKeeperEnsemble ensemble = new ZooKeeperEnsemble(prepare(options));
            try {
                ensemble.servers.forEach(ZooKeeperProcess::launch);
                ensemble.servers.forEach(ZooKeeperProcess::awaitServing);
                return ensemble;
            } catch (IllegalStateException failed) {
                ensemble.close();
                if (attempt == ATTEMPTS) {
                    throw failed;
                }
            }
        }
    }

    private static List<ZooKeeperProcess> prepare(ZooKeeperOptions options) {
        List<String> members = IntStream.rangeClosed(1, SIZE)
                .mapToObj(id -> "server." + id + "=127.0.0.1:" + ZooKeeperProcess.freePort() + ":"
                        + ZooKeeperProcess.freePort())
                .toList();
        List<ZooKeeperProcess> servers = new ArrayList<>();
        for (int id = 1; id <= SIZE; id++) {
            servers.add(new ZooKeeperProcess(id, options, ZooKeeperProcess.freePort(), members));
        }
        return List.copyOf(servers);
    }

    /** The servers, by number. */
    public List<ZooKeeperProcess> servers() {
        return servers;
    }

    /** Where clients connect: all addresses, separated by commas. */
    public String address() {
        return servers.stream().map(ZooKeeperProcess::address).collect(Collectors.joining(","));
    }

    /**
     * The server that leads; waits for one.
     *
     * @return one that called itself the leader just now
     * @throws IllegalStateException if there is none within a minute
     */
    public ZooKeeperProcess leader() {
        long deadline = System.nanoTime() + LEADER_TIMEOUT.toNanos();
        while (System.nanoTime() < deadline) {
            for (ZooKeeperProcess server : servers) {
                if (server.mode().filter("leader"::equals).isPresent()) {
                    return server;
                }
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
        throw new IllegalStateException("no server leads");
    }

    /** The servers that follow at present. */
    public List<ZooKeeperProcess> followers() {
        return servers.stream()
                .filter(server -> server.mode().filter("follower"::equals).isPresent())
                .toList();
    }

    /** Kills all and deletes their data. */
    @Override
    public void close() {
        servers.forEach(ZooKeeperProcess::close);
    }
}
