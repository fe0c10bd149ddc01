package io.wellkeeper.testservers;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Options of ZooKeeper servers. Immutable.
 *
 * @param tickMillis ZooKeeper's {@code tickTime}; sessions last between 2 and 20 ticks
 * @param syncLimit after how many ticks of silence a leader and a follower give each other up
 * @param properties system properties of the servers, such as {@code znode.container.checkIntervalMs}
 * @param environment variables that are added to the servers' environment
 * @param lines additional lines of the configuration file
 */
public record ZooKeeperOptions(
        int tickMillis,
        int syncLimit,
        Map<String, String> properties,
        Map<String, String> environment,
        List<String> lines) {

    /** Makes the collections immutable. */
    public ZooKeeperOptions {
        properties = Map.copyOf(properties);
        environment = Map.copyOf(environment);
        lines = List.copyOf(lines);
    }

    /** A tick of 500 ms, and writes that are not forced to the disk: fast, and safe against all but a power failure. */
    public static ZooKeeperOptions defaults() {
        return new ZooKeeperOptions(500, 10, Map.of("zookeeper.forceSync", "no"), Map.of(), List.of());
    }

    /** The same options with another tick. */
    public ZooKeeperOptions tickMillis(int millis) {
        return new ZooKeeperOptions(millis, syncLimit, properties, environment, lines);
    }

    /** The same options with another {@code syncLimit}. */
    public ZooKeeperOptions syncLimit(int ticks) {
        return new ZooKeeperOptions(tickMillis, ticks, properties, environment, lines);
    }

    /** The same options with one more system property. */
    public ZooKeeperOptions property(String key, String value) {
        Map<String, String> more = new TreeMap<>(properties);
        more.put(key, value);
        return new ZooKeeperOptions(tickMillis, syncLimit, more, environment, lines);
    }

    /** The same options with other environment variables, such as those of a {@link ProcessClock}. */
    public ZooKeeperOptions environment(Map<String, String> variables) {
        return new ZooKeeperOptions(tickMillis, syncLimit, properties, variables, lines);
    }

    /** The same options with these additional lines of the configuration file; they replace earlier ones. */
    public ZooKeeperOptions lines(String... more) {
        return new ZooKeeperOptions(tickMillis, syncLimit, properties, environment, List.of(more));
    }
}
