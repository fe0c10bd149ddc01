package io.wellkeeper.redis;

import io.lettuce.core.internal.HostAndPort;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DnsResolvers;
import io.lettuce.core.resource.MappingSocketAddressResolver;
import io.wellkeeper.spi.StoreUri;
import io.wellkeeper.testservers.RedisConnection;
import io.wellkeeper.testservers.RedisProcess;
import io.wellkeeper.testservers.TcpProxy;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;

/** The verbs of the kits: real servers behind proxies for each store, and a prefix of the keys for each test. */
final class KitServer {

    private static final Pattern FLAGS = Pattern.compile("flags=[OSM]"); // of those who are no clients of ours

    private final Servers servers;
    private final String prefix = "kit-" + UUID.randomUUID();
    private final Map<Object, Map<Integer, TcpProxy>> proxies = new ConcurrentHashMap<>(); // by store and real port
    private volatile boolean paused;
    private volatile boolean guarded; // stores made from now on; not before, so that no test waits because of another

    KitServer(Servers servers) {
        this.servers = servers;
    }

    RedisTicketStore ticketStore(int partitions) {
        Map<Integer, TcpProxy> ways = new LinkedHashMap<>();
        servers.all().forEach(server -> ways.put(server.port(), TcpProxy.of(server.port())));
        ClientResources resources = ClientResources.builder()
                .socketAddressResolver(MappingSocketAddressResolver.create(
                        DnsResolvers.UNRESOLVED,
                        to -> HostAndPort.of("127.0.0.1", ways.get(to.getPort()).port())))
                .build();
        String guard = "&restartGuard=" + (guarded ? "on" : "off");
        String spread = servers.isCluster() ? "&partitions=" + partitions : "";
        StoreUri uri = StoreUri.parse(servers.uri() + "?prefix=" + prefix + guard + spread);
        RedisTicketStore store = new RedisTicketStore(RedisPlace.of(uri), resources);
        proxies.put(store, ways);
        return store;
    }

    void deafen(Object store) {
        proxies.get(store).values().forEach(proxy -> proxy.swallowReplies(true));
    }

    void cut(Object store) {
        proxies.get(store).values().forEach(proxy -> {
            proxy.refuse(true);
            proxy.cut();
            proxy.swallowReplies(false);
        });
    }

    void mend(Object store) {
        proxies.get(store).values().forEach(proxy -> proxy.refuse(false));
    }

    private List<TcpProxy> proxies() {
        return proxies.values().stream()
                .map(Map::values)
                .flatMap(Collection::stream)
                .toList();
    }

    /** Cuts every connection once the servers have carried out one more script, of which nobody gets the answer. */
    void loseNextReply() {
        long before = servers.scripts();
        proxies().forEach(proxy -> proxy.swallowReplies(true));
        Thread cutter = new Thread(() -> {
            while (servers.scripts() == before) {
                LockSupport.parkNanos(1_000_000);
            }
            proxies().forEach(TcpProxy::cut);
            proxies().forEach(proxy -> proxy.swallowReplies(false));
        });
        cutter.setDaemon(true);
        cutter.start();
    }

    /** As if the session had not been renewed in time, and somebody had noticed. */
    void expire(RedisSession session) {
        Keys.Partition keys = session.partition();
        RedisProcess server = servers.master(keys.slot());
        server.call("ZADD", keys.sessions(), "XX", "1", session.id());
        server.call(
                "EVAL",
                Script.RENEW.text(),
                "3",
                keys.sessions(),
                keys.names(),
                keys.sequences(),
                "nobody",
                keys.channels(),
                "1",
                "1");
    }

    /** Removes the first ticket of a lock as an operator might, without a word to anybody. */
    void evict(String lock) {
        Keys.Partition keys = new Keys(prefix, servers.partitions(), servers.isCluster()).of(lock);
        servers.master(keys.slot()).call("ZREMRANGEBYRANK", keys.queue(lock), "0", "0");
    }

    void restart() {
        servers.restart();
        if (paused) {
            servers.resume();
            paused = false;
        }
    }

    /** Stores made from now on have the guard against servers that were restarted. */
    void guard() {
        guarded = true;
    }

    void loseData() {
        guard();
        servers.loseData();
    }

    void pause() {
        paused = true;
        servers.pause();
    }

    void resume() {
        servers.resume();
        paused = false;
    }

    List<String> leftovers() {
        if (paused) {
            resume(); // a test that failed may have left it so
        }
        List<String> found = new ArrayList<>();
        for (RedisProcess server : servers.masters()) {
            try (RedisConnection admin = RedisConnection.to(server.port())) {
                leftovers(admin, found);
            } catch (IOException silent) {
                found.add("a server that does not answer: " + silent);
            }
        }
        return found;
    }

    private void leftovers(RedisConnection admin, List<String> found) throws IOException {
        for (Object key : list(admin.call("KEYS", prefix + ":*"))) {
            if (key.equals(prefix + ":partitions") || ((String) key).endsWith("}:sequences")) {
                // The number of partitions and the last number are kept for a day; what belongs to dead sessions, until
                // the next
                // one begins.
                continue;
            }
            if (((String) key).contains("}:data:")) {
                describe(admin, (String) key, found);
            } else {
                String kind = String.valueOf(admin.call("TYPE", (String) key));
                Object content =
                        kind.equals("zset") ? admin.call("ZRANGE", (String) key, "0", "-1", "WITHSCORES") : kind;
                found.add("key " + key + " with " + content + ", for " + admin.call("PTTL", (String) key) + " ms");
            }
        }
        for (String client : String.valueOf(admin.call("CLIENT", "LIST")).split("\n")) {
            // Whoever has not said anything looks for a server of another kind, which had this port before, and would
            // speak first.
            if (!client.contains("cmd=client")
                    && !client.contains("cmd=NULL")
                    && !client.contains("name=sentinel")
                    && !FLAGS.matcher(client).find()) {
                found.add("connection " + client);
            }
        }
    }

    /** The notice of a name that had tickets stays for a day. */
    private static void describe(RedisConnection admin, String key, List<String> found) throws IOException {
        List<?> fields = list(admin.call("HGETALL", key));
        for (int i = 0; i < fields.size(); i += 2) {
            if (!List.of("v", "p", "t", "k").contains(fields.get(i))) {
                found.add(key + " has " + fields.get(i) + ": " + fields.get(i + 1));
            }
        }
        if (Long.valueOf(-1).equals(admin.call("PTTL", key))) {
            found.add(key + " never expires");
        }
    }

    private static List<?> list(Object answer) {
        return answer instanceof List<?> list ? list : List.of();
    }

    void close() {
        proxies().forEach(TcpProxy::close);
    }
}
