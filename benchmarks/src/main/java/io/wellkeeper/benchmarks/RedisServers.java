package io.wellkeeper.benchmarks;

import io.wellkeeper.testservers.RedisProcess;
import io.wellkeeper.testservers.TcpProxy;
import java.util.Set;

/** A Redis server, near or at the far end of a wire. It persists nothing. */
final class RedisServers implements Servers {

    /** Commands that clients send and scripts do not: so the server's counts of them are the counts of requests. */
    private static final Set<String> SENT_BY_CLIENTS_ONLY =
            Set.of("eval", "evalsha", "script|load", "subscribe", "unsubscribe", "ssubscribe", "sunsubscribe", "ping");

    private final RedisProcess server = RedisProcess.start();
    private final TcpProxy wire = TcpProxy.of(server.port());
    private final String address;

    private RedisServers(boolean distant) {
        wire.delay(Topology.WIRE_DELAY);
        address = distant ? wire.address() : server.address();
    }

    static Servers start(Topology topology) {
        return new RedisServers(topology == Topology.DISTANT_SERVER);
    }

    @Override
    public String uri(int turn) {
        return "redis://" + address + "?restartGuard=off"; // the server is new, and has lost nothing
    }

    @Override
    public long requests() {
        return SENT_BY_CLIENTS_ONLY.stream().mapToLong(server::calls).sum();
    }

    @Override
    public String version() {
        return RedisProcess.version();
    }

    @Override
    public void close() {
        wire.close();
        server.close();
    }
}
