package io.wellkeeper.torture;

import io.wellkeeper.testservers.TcpProxy;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A store of the user, whose servers must have no faults. The workers reach it through proxies if its URI names all
 * servers that clients connect to, and there is no TLS: certificates would not name the proxies.
 */
final class OwnServers implements Servers {

    private static final Pattern URI =
            Pattern.compile("(?<start>([a-z-]+):(?:[a-z]+:)?//(?:[^/?#@]*@)?)(?<hosts>[^/?#]+)(?<rest>.*)");
    private static final Pattern HOST = Pattern.compile("(?<name>[\\w.-]+|\\[[\\w:.]+])(?::(?<port>\\d{1,5}))?");

    /** The protocols between clients and servers. */
    private enum Wire {
        REDIS(6379, TcpProxy::resp, new RedisProtocol()),
        ZOOKEEPER(2181, TcpProxy::framed, new ZooKeeperProtocol()),
        POSTGRESQL(5432, TcpProxy::of, new PostgresProtocol()),
        MYSQL(3306, TcpProxy::of, new MariaDbProtocol());

        private final int port; // the default port of a URI
        private final Function<InetSocketAddress, TcpProxy> proxy;
        private final Protocol protocol;

        Wire(int port, Function<InetSocketAddress, TcpProxy> proxy, Protocol protocol) {
            this.port = port;
            this.proxy = proxy;
            this.protocol = protocol;
        }
    }

    /** The protocols by the beginnings of URIs. */
    private static final Map<String, Wire> WIRES = Map.ofEntries(
            Map.entry("redis://", Wire.REDIS),
            Map.entry("redis-simple://", Wire.REDIS),
            Map.entry("redis-redisson://", Wire.REDIS),
            Map.entry("redlock://", Wire.REDIS),
            Map.entry("zookeeper://", Wire.ZOOKEEPER),
            Map.entry("zookeeper-simple://", Wire.ZOOKEEPER),
            Map.entry("jdbc:postgresql://", Wire.POSTGRESQL),
            Map.entry("jdbc-simple:postgresql://", Wire.POSTGRESQL),
            Map.entry("jdbc:mariadb://", Wire.MYSQL),
            Map.entry("jdbc-simple:mariadb://", Wire.MYSQL),
            Map.entry("jdbc:mysql://", Wire.MYSQL),
            Map.entry("jdbc-simple:mysql://", Wire.MYSQL));

    /** If a URI has one of these words, connections may use TLS, or go to servers that the URI does not name. */
    private static final List<String> UNKNOWN_WAYS = List.of("ssl", "tls", "client.config", "unix", "socket");

    private final String uri;

    OwnServers(String uri) {
        this.uri = uri;
    }

    @Override
    public String uri() {
        return uri;
    }

    @Override
    public Way way() {
        Matcher parts = URI.matcher(uri);
        Optional<Wire> wire = wire();
        if (wire.isEmpty()
                || !parts.matches()
                || UNKNOWN_WAYS.stream().anyMatch(parts.group("rest").toLowerCase(Locale.ROOT)::contains)) {
            return Way.direct(uri);
        }
        List<InetSocketAddress> servers = new ArrayList<>();
        for (String host : parts.group("hosts").split(",")) {
            Matcher server = HOST.matcher(host);
            if (!server.matches()) {
                return Way.direct(uri);
            }
            int port = server.group("port") == null ? wire.get().port : Integer.parseInt(server.group("port"));
            servers.add(InetSocketAddress.createUnresolved(server.group("name").replaceAll("[\\[\\]]", ""), port));
        }
        Map<Integer, TcpProxy> proxies = new LinkedHashMap<>();
        List<String> addresses = new ArrayList<>();
        for (InetSocketAddress server : servers) {
            TcpProxy proxy = wire.get().proxy.apply(server);
            proxies.put(proxies.size(), proxy);
            addresses.add(proxy.address());
        }
        return new Way(
                parts.group("start") + String.join(",", addresses) + parts.group("rest"),
                proxies,
                false,
                Optional.empty());
    }

    private Optional<Wire> wire() {
        return WIRES.entrySet().stream()
                .filter(entry -> uri.startsWith(entry.getKey()))
                .map(Map.Entry::getValue)
                .findFirst();
    }

    @Override
    public Optional<Protocol> protocol() {
        return wire().map(wire -> wire.protocol);
    }

    @Override
    public Set<FaultKind> faults() {
        return Set.of();
    }

    @Override
    public Runnable strike(FaultKind kind) {
        throw new IllegalArgumentException("nothing shall befall these servers, least of all " + kind);
    }

    @Override
    public void close() {
        // the servers belong to the user
    }
}
