package io.wellkeeper.torture;

import io.wellkeeper.testservers.TcpProxy;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A store that is there already, and whose servers nothing shall befall. The workers reach it through proxies if its URI
 * names all servers that they connect to, without TLS, whose certificates would not name the proxies.
 */
final class OwnServers implements Servers {

    private static final Pattern URI =
            Pattern.compile("(?<start>([a-z]+):(?:[a-z]+:)?//(?:[^/?#@]*@)?)(?<hosts>[^/?#]+)(?<rest>.*)");
    private static final Pattern HOST = Pattern.compile("(?<name>[\\w.-]+|\\[[\\w:.]+])(?::(?<port>\\d{1,5}))?");

    /** By the beginning of a URI: the port of a server that does not name one. */
    private static final Map<String, Integer> PORTS = Map.of(
            "redis://", 6379,
            "zookeeper://", 2181,
            "jdbc:postgresql://", 5432,
            "jdbc:mariadb://", 3306,
            "jdbc:mysql://", 3306);

    /** A URI with one of these may mean connections with TLS, or to servers that it does not name. */
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
        if (!parts.matches()
                || UNKNOWN_WAYS.stream().anyMatch(parts.group("rest").toLowerCase(Locale.ROOT)::contains)) {
            return Way.direct(uri);
        }
        Integer port = PORTS.entrySet().stream()
                .filter(entry -> uri.startsWith(entry.getKey()))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElse(0);
        List<InetSocketAddress> servers = new ArrayList<>();
        for (String host : parts.group("hosts").split(",")) {
            Matcher server = HOST.matcher(host);
            if (port == 0 || !server.matches()) {
                return Way.direct(uri);
            }
            int own = server.group("port") == null ? port : Integer.parseInt(server.group("port"));
            servers.add(InetSocketAddress.createUnresolved(server.group("name").replaceAll("[\\[\\]]", ""), own));
        }
        Map<Integer, TcpProxy> proxies = new LinkedHashMap<>();
        List<String> addresses = new ArrayList<>();
        for (InetSocketAddress server : servers) {
            TcpProxy proxy = TcpProxy.of(server);
            proxies.put(proxies.size(), proxy);
            addresses.add(proxy.address());
        }
        return new Way(parts.group("start") + String.join(",", addresses) + parts.group("rest"), proxies, false);
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
        // somebody else's
    }
}
