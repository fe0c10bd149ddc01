package io.wellkeeper.torture;

import io.wellkeeper.testservers.ServerDeath;
import io.wellkeeper.testservers.TcpProxy;
import java.time.Duration;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * Servers that are used for simple locks, which have no queue: they have no faults of tickets, sessions in tables or
 * latches.
 */
final class LeaseServers implements Servers {

    private static final Set<FaultKind> OF_QUEUES = EnumSet.of(
            FaultKind.BROKEN_LOCK,
            FaultKind.BUSY_ROW,
            FaultKind.END_SESSION,
            FaultKind.LAST_NUMBER,
            FaultKind.LONG_CONTENTION,
            FaultKind.LOST_COUNTS);
    private static final Set<FaultKind> OF_CLOCKS =
            EnumSet.of(FaultKind.CLOCK_FORWARD, FaultKind.CLOCK_BACK, FaultKind.CLOCK_STEP);

    private final Servers servers;
    private final UnaryOperator<String> uri;
    private final Set<FaultKind> without;
    private final Set<FaultKind> forgetful;

    private LeaseServers(Servers servers, UnaryOperator<String> uri, Set<FaultKind> without, Set<FaultKind> forgetful) {
        this.servers = servers;
        this.uri = uri;
        this.without = without;
        this.forgetful = forgetful;
    }

    /** ZooKeeper: the session is the lease. */
    static Servers zooKeeper(Servers servers) {
        Set<FaultKind> without = EnumSet.copyOf(OF_QUEUES);
        without.remove(FaultKind.END_SESSION);
        return new LeaseServers(
                servers,
                uri -> uri.replace("zookeeper:", "zookeeper-simple:"),
                without,
                EnumSet.of(FaultKind.END_SESSION));
    }

    /**
     * Redis: each lease is a key, of which nothing is known after a loss of data.
     *
     * @param scheme of the URI
     */
    static Servers redis(Servers servers, String scheme) {
        Set<FaultKind> without = EnumSet.copyOf(OF_QUEUES);
        without.addAll(OF_CLOCKS); // the servers' clock cannot be set, and the times of keys are not moved
        return new LeaseServers(
                servers,
                uri -> uri.replace("redis:", scheme + ":"),
                without,
                EnumSet.of(FaultKind.DATA_LOSS, FaultKind.FLUSH));
    }

    /** A database: each lease is a row. */
    static Servers sql(Servers servers) {
        Set<FaultKind> without = EnumSet.copyOf(OF_QUEUES);
        without.add(FaultKind.CLOCK_STEP); // the holder of a lease has a smaller reserve
        if (servers.uri().startsWith("jdbc:sqlite:")) { // SQLite's clock is that of the machine
            without.addAll(OF_CLOCKS);
        }
        return new LeaseServers(
                servers,
                uri -> uri.replaceFirst("jdbc:", "jdbc-simple:"),
                without,
                EnumSet.of(FaultKind.CLOCK_FORWARD));
    }

    @Override
    public String uri() {
        return uri.apply(servers.uri());
    }

    /** Clients connect only to the servers that the URI names. */
    @Override
    public Way way() {
        return through(servers.way());
    }

    private Way through(Way way) {
        String changed = uri.apply(way.uri());
        if (way.mapped()) {
            for (Map.Entry<Integer, TcpProxy> proxy : way.proxies().entrySet()) {
                changed = changed.replaceAll(
                        ":" + proxy.getKey() + "\\b", ":" + proxy.getValue().port());
            }
        }
        return new Way(changed, way.proxies(), false, way.table());
    }

    @Override
    public Optional<Way> otherWay() {
        return servers.otherWay().map(this::through);
    }

    @Override
    public Set<FaultKind> faults() {
        return less(servers.faults());
    }

    @Override
    public Set<FaultKind> allFaults() {
        return less(servers.allFaults());
    }

    private Set<FaultKind> less(Collection<FaultKind> faults) {
        Set<FaultKind> left = EnumSet.noneOf(FaultKind.class);
        left.addAll(faults);
        left.removeAll(without);
        return left;
    }

    @Override
    public Duration prepare(FaultKind kind) {
        return servers.prepare(kind);
    }

    @Override
    public Runnable strike(FaultKind kind) {
        return servers.strike(kind);
    }

    @Override
    public boolean forgets(FaultKind kind) {
        return forgetful.contains(kind);
    }

    @Override
    public boolean refuses(FaultKind kind) {
        return servers.refuses(kind);
    }

    @Override
    public boolean hasClock() {
        return servers.hasClock();
    }

    @Override
    public void moveClock(Duration step) {
        servers.moveClock(step);
    }

    @Override
    public Optional<Protocol> protocol() {
        return servers.protocol();
    }

    @Override
    public Optional<ServerDeath> death() {
        return servers.death();
    }

    /** None in a database: leases of dead clients have expired, and their rows stay for the next client. */
    @Override
    public List<String> leftovers() {
        return uri().startsWith("jdbc") ? List.of() : servers.leftovers();
    }

    @Override
    public void close() {
        servers.close();
    }
}
