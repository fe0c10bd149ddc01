package io.wellkeeper.redis;

import io.wellkeeper.spi.StoreUri;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What the URI of a Redlock says.
 *
 * @param servers its nodes
 * @param prefix what every key begins with
 * @param nodeTimeout how long to wait for the answer of one node
 * @param restartDelay for how long after its start a node is kept out, which is also the longest lease; zero if nodes
 *     forget nothing
 */
record RedlockOptions(List<RedisServer> servers, String prefix, Duration nodeTimeout, Duration restartDelay) {

    static final String SCHEME = "redlock";
    static final String TLS_SCHEME = "redlocks";

    private static final int FEWEST = 3;
    private static final Duration NODE_TIMEOUT = Duration.ofMillis(50);
    private static final Duration RESTART_DELAY = Duration.ofSeconds(60);

    static RedlockOptions of(StoreUri uri) {
        uri.refuseOtherParametersThan(Set.of("prefix", "client", "nodeTimeout", "restartDelay"));
        Duration nodeTimeout = uri.duration("nodeTimeout").orElse(NODE_TIMEOUT);
        if (nodeTimeout.isZero()) {
            throw new IllegalArgumentException("parameter 'nodeTimeout' of the store URI is zero");
        }
        return new RedlockOptions(
                servers(uri),
                uri.parameter("prefix").orElse(""),
                nodeTimeout,
                uri.duration("restartDelay").orElse(RESTART_DELAY));
    }

    private static List<RedisServer> servers(StoreUri uri) {
        List<RedisServer> servers = RedisServer.all(uri, RedisServer.DEFAULT_PORT, RedisServer.database(uri));
        Set<String> addresses = servers.stream().map(RedisServer::address).collect(Collectors.toSet());
        if (addresses.size() < FEWEST || addresses.size() < servers.size()) {
            throw new IllegalArgumentException(
                    "store URI names " + addresses.size() + " different hosts; a Redlock takes"
                            + " at least " + FEWEST + ", each named once, such as " + uri.scheme()
                            + "://host1:6379,host2:6379,host3:6379");
        }
        return servers;
    }

    /** Where the nodes are. */
    String address() {
        return String.join(",", servers.stream().map(RedisServer::address).toList());
    }
}
