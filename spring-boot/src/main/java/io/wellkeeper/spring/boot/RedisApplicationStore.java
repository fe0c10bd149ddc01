package io.wellkeeper.spring.boot;

import io.wellkeeper.LockClient;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails.Cluster;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails.Node;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails.Sentinel;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails.Standalone;

/** The Redis servers of Spring Data Redis, as properties or containers say; the client has connections of its own. */
final class RedisApplicationStore implements ApplicationStore {

    private final DataRedisConnectionDetails details;

    RedisApplicationStore(DataRedisConnectionDetails details) {
        this.details = details;
    }

    @Override
    public ReusedStore kind() {
        return ReusedStore.REDIS;
    }

    @Override
    public LockClient connect(LockClients clients) {
        return clients.connect(uri(), details.getSslBundle());
    }

    String uri() {
        String redis = details.getSslBundle() == null ? "redis" : "rediss";
        Sentinel sentinel = details.getSentinel();
        Cluster cluster = details.getCluster();
        Standalone standalone = details.getStandalone();
        if (sentinel != null) {
            return redis + "-sentinel://" + user() + hosts(sentinel.getNodes()) + "/" + encoded(sentinel.getMaster())
                    + "?database=" + sentinel.getDatabase()
                    + parameter("sentinelUser", sentinel.getUsername())
                    + parameter("sentinelPassword", sentinel.getPassword());
        }
        if (cluster != null) {
            return redis + "-cluster://" + user() + hosts(cluster.getNodes());
        }
        if (standalone != null) {
            return redis + "://" + user() + host(standalone.getHost()) + ":" + standalone.getPort() + "/"
                    + standalone.getDatabase();
        }
        throw new StoreConfigurationException(
                "spring.data.redis names neither one server nor sentinels nor a cluster: locks are kept by a master, and which"
                        + " of the nodes that are set is it, nobody is told.",
                "Set wellkeeper.uri to where the master, the sentinels or the cluster is.",
                null);
    }

    private String user() {
        String user = details.getUsername();
        String password = details.getPassword();
        return password == null ? "" : (user == null ? "" : encoded(user)) + ":" + encoded(password) + "@";
    }

    private static String parameter(String name, @Nullable String value) {
        return value == null ? "" : "&" + name + "=" + encoded(value);
    }

    private static String hosts(List<Node> nodes) {
        return nodes.stream().map(node -> host(node.host()) + ":" + node.port()).collect(Collectors.joining(","));
    }

    private static String host(String host) {
        return host.indexOf(':') < 0 || host.startsWith("[") ? host : "[" + host + "]";
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }
}
