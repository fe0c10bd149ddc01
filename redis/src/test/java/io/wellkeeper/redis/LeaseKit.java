package io.wellkeeper.redis;

import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.internal.HostAndPort;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DnsResolvers;
import io.lettuce.core.resource.MappingSocketAddressResolver;
import io.wellkeeper.ClientOptions;
import io.wellkeeper.LeaseClient;
import io.wellkeeper.LockSource;
import io.wellkeeper.spi.LeaseStore;
import io.wellkeeper.spi.StoreUri;
import io.wellkeeper.storekit.LeaseStoreFixture;
import io.wellkeeper.storekit.LockFixture;
import io.wellkeeper.storekit.RememberingLeaseStore;
import io.wellkeeper.testservers.RedisConnection;
import io.wellkeeper.testservers.RedisProcess;
import io.wellkeeper.testservers.TcpProxy;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;

/** What the kits need of a store of leases: proxies for each store, and a prefix for each test. */
final class LeaseKit implements AutoCloseable {

    private final Servers servers;
    private final String scheme;
    private final String parameters;
    private final boolean tokens;
    private final BiFunction<StoreUri, LeaseConnector, LeaseStore> maker;
    private final String prefix = "kit-" + UUID.randomUUID() + ":";
    private final Map<LeaseStore, List<TcpProxy>> proxies = new ConcurrentHashMap<>();
    private volatile boolean paused;

    /**
     * For one test.
     *
     * @param servers over all of them the store goes
     * @param parameters more of the URI
     * @param tokens whether there are fencing tokens
     */
    LeaseKit(
            Servers servers,
            String scheme,
            String parameters,
            boolean tokens,
            BiFunction<StoreUri, LeaseConnector, LeaseStore> maker) {
        this.servers = servers;
        this.scheme = scheme;
        this.parameters = parameters;
        this.tokens = tokens;
        this.maker = maker;
    }

    LeaseStore store() {
        Map<Integer, TcpProxy> ways = new LinkedHashMap<>();
        servers.all().forEach(server -> ways.put(server.port(), TcpProxy.of(server.port())));
        ClientResources resources = ClientResources.builder()
                .socketAddressResolver(MappingSocketAddressResolver.create(
                        DnsResolvers.UNRESOLVED,
                        to -> HostAndPort.of("127.0.0.1", ways.get(to.getPort()).port())))
                .build();
        String where = servers.uri().substring(servers.uri().indexOf(':'));
        StoreUri uri = StoreUri.parse(scheme + where + "?prefix=" + prefix + parameters);
        LeaseStore store = maker.apply(uri, new LeaseConnector(resources));
        proxies.put(store, List.copyOf(ways.values()));
        return store;
    }

    /** Those that have a key. */
    private List<RedisProcess> homes(String key) {
        return servers.isCluster() ? List.of(servers.master(SlotHash.getSlot(key))) : servers.masters();
    }

    LeaseStoreFixture leases() {
        return new LeaseStoreFixture() {
            @Override
            public LeaseStore connect() {
                return store();
            }

            /** Several servers keep, until then, what another store has released before it came. */
            @Override
            public Duration longTtl() {
                return servers.masters().size() > 1 && !servers.isCluster()
                        ? Duration.ofSeconds(12)
                        : LeaseStoreFixture.super.longTtl();
            }

            @Override
            public void restart() {
                servers.restart();
            }

            @Override
            public List<String> leftovers() {
                return LeaseKit.this.leftovers();
            }

            @Override
            public void close() {
                LeaseKit.this.close();
            }
        };
    }

    LockFixture locks() {
        Map<LeaseClient, RememberingLeaseStore> stores = new ConcurrentHashMap<>();
        return new LockFixture() {
            @Override
            public LockSource newClient(ClientOptions options) {
                RememberingLeaseStore store = new RememberingLeaseStore(store());
                LeaseClient client = LeaseClient.over(store, options);
                stores.put(client, store);
                return client;
            }

            @Override
            public boolean hasTokens() {
                return tokens;
            }

            @Override
            public void lose(LockSource client) {
                stores.get(client)
                        .names()
                        .forEach((owner, name) -> homes(prefix + name).forEach(server -> {
                            if (holds(server, owner, prefix + name)) {
                                server.call("DEL", prefix + name);
                            }
                        }));
            }

            @Override
            public void cut(LockSource client) {
                proxies.get(stores.get(client).store()).forEach(proxy -> {
                    proxy.refuse(true);
                    proxy.cut();
                });
            }

            @Override
            public void mend(LockSource client) {
                proxies.get(stores.get(client).store()).forEach(proxy -> proxy.refuse(false));
            }

            @Override
            public void pause() {
                paused = true;
                servers.pause();
            }

            @Override
            public void resume() {
                servers.resume();
                paused = false;
            }

            @Override
            public void evict(String lock) {
                homes(prefix + lock).forEach(server -> server.call("DEL", prefix + lock));
            }

            @Override
            public List<String> leftovers() {
                stores.values().forEach(RememberingLeaseStore::close);
                return LeaseKit.this.leftovers();
            }

            @Override
            public void close() {
                LeaseKit.this.close();
            }
        };
    }

    private static boolean holds(RedisProcess server, String owner, String key) {
        Object content = server.call("EVAL", "return redis.call('DUMP', KEYS[1]) or ''", "1", key);
        return String.valueOf(content).contains(owner);
    }

    private List<String> leftovers() {
        if (paused) {
            servers.resume(); // a test that failed may have left them so
            paused = false;
        }
        List<String> found = new ArrayList<>();
        for (RedisProcess server : servers.masters()) {
            try (RedisConnection admin = RedisConnection.to(server.port())) {
                for (Object key : (List<?>) admin.call("KEYS", "*" + prefix + "*")) {
                    if (!((String) key).startsWith("wellkeeper:lease:")) {
                        found.add("key " + key);
                    } else if (Long.valueOf(-1).equals(admin.call("PTTL", (String) key))) {
                        found.add(key + " never expires");
                    }
                }
            } catch (IOException silent) {
                found.add("a server that does not answer: " + silent);
            }
        }
        if (proxies.values().stream().flatMap(List::stream).anyMatch(proxy -> proxy.connections() > 0)) {
            found.add("a connection");
        }
        return found;
    }

    @Override
    public void close() {
        proxies.values().forEach(own -> own.forEach(TcpProxy::close));
    }
}
