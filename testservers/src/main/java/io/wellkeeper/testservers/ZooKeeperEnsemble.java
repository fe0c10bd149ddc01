package io.wellkeeper.testservers;

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
    private final List<Way> ways;

    /** The proxy through which one server sends to another. */
    private record Way(int from, int to, TcpProxy proxy) {}

    private ZooKeeperEnsemble(List<ZooKeeperProcess> servers, List<Way> ways) {
        this.servers = servers;
        this.ways = ways;
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
        return start(options, false);
    }

    /**
     * As {@link #start(ZooKeeperOptions)}, but the servers send to each other through proxies: they can be
     * {@linkplain #separate separated}.
     */
    public static ZooKeeperEnsemble startSeparable(ZooKeeperOptions options) {
        return start(options, true);
    }

    private static ZooKeeperEnsemble start(ZooKeeperOptions options, boolean separable) {
        for (int attempt = 1; ; attempt++) {
            ZooKeeperEnsemble ensemble = prepare(options, separable);
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

    private static ZooKeeperEnsemble prepare(ZooKeeperOptions options, boolean separable) {
        int[] ports = IntStream.range(0, 2 * SIZE)
                .map(unused -> ZooKeeperProcess.freePort())
                .toArray();
        List<Way> ways = new ArrayList<>();
        List<ZooKeeperProcess> servers = new ArrayList<>();
        for (int id = 1; id <= SIZE; id++) {
            List<String> members = new ArrayList<>();
            for (int other = 1; other <= SIZE; other++) {
                StringBuilder member = new StringBuilder("server." + other + "=127.0.0.1");
                for (int port : List.of(ports[2 * other - 2], ports[2 * other - 1])) {
                    if (other == id || !separable) {
                        member.append(':').append(port);
                    } else {
                        Way way = new Way(id, other, TcpProxy.of(port));
                        ways.add(way);
                        member.append(':').append(way.proxy().port());
                    }
                }
                members.add(member.toString());
            }
            servers.add(new ZooKeeperProcess(id, options, ZooKeeperProcess.freePort(), members));
        }
        return new ZooKeeperEnsemble(List.copyOf(servers), List.copyOf(ways));
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
     * The leader; waits until there is one.
     *
     * @return a server that called itself the leader just now
     * @throws IllegalStateException if there is no leader within a minute
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

    /** The servers that are followers at present. */
    public List<ZooKeeperProcess> followers() {
        return servers.stream()
                .filter(server -> server.mode().filter("follower"::equals).isPresent())
                .toList();
    }

    /**
     * Separates one server from the others, until they are {@linkplain #unite united}. The others see that their
     * connections to the server are reset. The server itself notices nothing, and waits for messages of the others.
     * Clients reach each server as before.
     *
     * @param server of an ensemble that was started by {@link #startSeparable}; a leader goes on believing that it
     *     leads until it has heard nothing for {@code syncLimit}
     */
    public void separate(ZooKeeperProcess server) {
        for (Way way : ways) {
            if (way.to() == server.id()) {
                way.proxy().refuse(true);
                way.proxy().cutClients();
            } else if (way.from() == server.id()) {
                way.proxy().refuse(true);
                way.proxy().cutServer();
            }
        }
    }

    /** Ends the separation of a server from the others. */
    public void unite(ZooKeeperProcess server) {
        for (Way way : ways) {
            if (way.to() == server.id() || way.from() == server.id()) {
                way.proxy().refuse(false);
            }
        }
    }

    /** Kills all servers and deletes their data. */
    @Override
    public void close() {
        servers.forEach(ZooKeeperProcess::close);
        ways.forEach(way -> way.proxy().close());
    }
}
