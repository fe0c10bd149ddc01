package io.wellkeeper.spring.boot;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockStoreException;
import io.wellkeeper.spi.StoreUri;
import io.wellkeeper.spi.TicketStore;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.ssl.NoSuchSslBundleException;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.util.ClassUtils;

/**
 * Makes the application's client. The store is the first of these that exists: a {@link TicketStore} bean; the store of
 * a {@link WellkeeperConnectionDetails} bean; the store of {@code wellkeeper.uri}; the only store to which the
 * application is connected already. This class closes what it opened for the client, after the client.
 */
final class LockClients implements DisposableBean {

    private static final String URI = "wellkeeper.uri";
    private static final String REDIS_STORE = "io.wellkeeper.redis.RedisTicketStore";
    private static final Map<String, String> ARTIFACTS = Map.of( // by the beginnings of schemes
            "zookeeper", "io.wellkeeper:wellkeeper-zookeeper",
            "redis", "io.wellkeeper:wellkeeper-redis",
            "jdbc", "io.wellkeeper:wellkeeper-jdbc");

    private final WellkeeperProperties properties;
    private final ClientOptions options;
    private final ObjectProvider<SslBundles> bundles;
    private final Deque<AutoCloseable> opened = new ArrayDeque<>();
    private @Nullable String address;

    LockClients(WellkeeperProperties properties, ClientOptions options, ObjectProvider<SslBundles> bundles) {
        this.properties = properties;
        this.options = options;
        this.bundles = bundles;
    }

    /** The address of the client's store, without secrets; null before the client has been made. */
    @Nullable
    String address() {
        return address;
    }

    /**
     * Connects.
     *
     * @param given a store that is a bean
     * @param details a bean that says where the store is
     * @param known stores to which the application is connected
     */
    LockClient client(
            Optional<TicketStore> given, Optional<WellkeeperConnectionDetails> details, List<ApplicationStore> known) {
        try {
            if (given.isPresent()) {
                return connected(given.get());
            }
            if (details.isPresent()) {
                return connect(details.get().uri(), details.get().sslBundle());
            }
            String uri = properties.uri();
            if (uri != null) {
                return connect(uri, bundle());
            }
            if (properties.ssl().bundle() != null) {
                throw new StoreConfigurationException(
                        "wellkeeper.ssl.bundle is set, but not " + URI + ", for which it is.",
                        "Set " + URI + ", or encrypt the connection that the application has.",
                        null);
            }
            return choose(known).connect(this);
        } catch (LockStoreException unreachable) {
            throw new StoreConfigurationException(
                    "The store of locks cannot be used: " + unreachable.getMessage(),
                    "See to it that the store runs, can be reached from here, and lets this application in.",
                    unreachable);
        }
    }

    private @Nullable SslBundle bundle() {
        String name = properties.ssl().bundle();
        if (name == null) {
            return null;
        }
        try {
            return bundles.getObject().getBundle(name);
        } catch (NoSuchSslBundleException missing) {
            throw new StoreConfigurationException(
                    "wellkeeper.ssl.bundle names '" + name + "', and there is no such SSL bundle.",
                    "Define spring.ssl.bundle.pem." + name + " or spring.ssl.bundle.jks." + name + ".",
                    missing);
        }
    }

    private ApplicationStore choose(List<ApplicationStore> known) {
        List<String> kinds = new TreeSet<>(
                        known.stream().map(ApplicationStore::kind).toList())
                .stream().map(LockClients::value).toList();
        ReusedStore wanted = properties.store();
        if (wanted != null) {
            return known.stream()
                    .filter(store -> store.kind() == wanted)
                    .findFirst()
                    .orElseThrow(() -> new StoreConfigurationException(
                            "wellkeeper.store is '" + value(wanted)
                                    + "', and the application is not connected to such a"
                                    + " store; it is connected to " + kinds + ".",
                            need(wanted),
                            null));
        }
        if (known.isEmpty()) {
            throw new StoreConfigurationException(
                    "There is no store for locks: " + URI
                            + " is not set, and the application is connected to none that a"
                            + " module of Wellkeeper on the class path could use.",
                    "Add the module of a store, " + new TreeSet<>(ARTIFACTS.values()) + ", and set " + URI
                            + ", such as redis://host:6379, or connect the application to a database, Redis or ZooKeeper."
                            + " To have no locks, set wellkeeper.enabled=false.",
                    null);
        }
        if (known.size() > 1) {
            throw new StoreConfigurationException(
                    "It is not clear where locks are to be kept: the application is connected to " + kinds + ".",
                    "Set wellkeeper.store to one of " + kinds + ", or set " + URI + ".",
                    null);
        }
        return known.get(0);
    }

    private static String need(ReusedStore wanted) {
        return switch (wanted) {
            case DATA_SOURCE ->
                "It takes io.wellkeeper:wellkeeper-jdbc, and one DataSource that is the only or the primary one.";
            case REDIS -> "It takes io.wellkeeper:wellkeeper-redis and Spring Data Redis.";
            case CURATOR ->
                "It takes io.wellkeeper:wellkeeper-zookeeper, and one CuratorFramework that is the only or the primary one.";
        };
    }

    private static String value(ReusedStore store) {
        return store.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /**
     * Connects to the store with a URI.
     *
     * @param ssl keys and certificates of the connection; null for those of the JVM
     */
    LockClient connect(String uri, @Nullable SslBundle ssl) {
        try {
            StoreUri parsed = StoreUri.parse(uri);
            address = parsed.toString();
            if (ssl == null) {
                return LockClient.connect(uri, options);
            }
            if (!parsed.scheme().startsWith("rediss")
                    || !ClassUtils.isPresent(REDIS_STORE, getClass().getClassLoader())) {
                throw new IllegalArgumentException("SSL bundles are for rediss: and its relatives, with"
                        + " io.wellkeeper:wellkeeper-redis on the class path, and not for '" + parsed.scheme() + "'");
            }
            RedisConnector redis = RedisConnector.of(parsed, options, ssl);
            opened.push(redis);
            return redis.connect();
        } catch (IllegalArgumentException wrong) {
            throw new StoreConfigurationException(
                    "The URI of the store of locks cannot be used: " + wrong.getMessage(), advice(uri), wrong);
        }
    }

    private static String advice(String uri) {
        for (Map.Entry<String, String> artifact : ARTIFACTS.entrySet()) {
            if (uri.startsWith(artifact.getKey())) {
                return "Correct it; the module for such a URI is " + artifact.getValue() + ".";
            }
        }
        return "Correct it: it begins with zookeeper:, redis: or jdbc:, and the module of the store, one of "
                + new TreeSet<>(ARTIFACTS.values()) + ", is on the class path.";
    }

    /**
     * Makes a client over a store that was made for it.
     *
     * @param store the store; it is closed after the client
     */
    LockClient over(TicketStore store) {
        opened.push(store);
        return connected(store);
    }

    private LockClient connected(TicketStore store) {
        address = store.address();
        return LockClient.over(store, options);
    }

    @Override
    public void destroy() throws Exception {
        while (!opened.isEmpty()) {
            opened.pop().close();
        }
    }
}
