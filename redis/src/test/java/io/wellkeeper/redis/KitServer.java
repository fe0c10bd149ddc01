package io.wellkeeper.redis;

import io.wellkeeper.spi.StoreUri;
import io.wellkeeper.testkit.process.RedisConnection;
import io.wellkeeper.testkit.process.RedisProcess;
import io.wellkeeper.testkit.process.TcpProxy;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

/** The verbs of the kits: a real server behind one proxy for each store, and a prefix of the keys for each test. */
final class KitServer {

    private final RedisProcess server;
    private final String prefix = "kit-" + UUID.randomUUID();
    private final Keys.Partition keys =
            new Keys(prefix, Keys.SINGLE, false).partitions().get(0);
    private final Map<Object, TcpProxy> proxies = new ConcurrentHashMap<>();
    private volatile boolean paused;

    KitServer(RedisProcess server) {
        this.server = server;
    }

    RedisTicketStore ticketStore() {
        TcpProxy proxy = TcpProxy.of(server.port());
        RedisTicketStore store =
                RedisTicketStore.of(StoreUri.parse("redis://" + proxy.address() + "?prefix=" + prefix));
        proxies.put(store, proxy);
        return store;
    }

    void cut(Object store) {
        TcpProxy proxy = proxies.get(store);
        proxy.refuse(true);
        proxy.cut();
    }

    void mend(Object store) {
        proxies.get(store).refuse(false);
    }

    /** Cuts every connection once the server has carried out one more script, of which nobody gets the answer. */
    void loseNextReply() {
        long before = scripts();
        proxies.values().forEach(proxy -> proxy.swallowReplies(true));
        Thread cutter = new Thread(() -> {
            while (scripts() == before) {
                LockSupport.parkNanos(1_000_000);
            }
            proxies.values().forEach(TcpProxy::cut);
            proxies.values().forEach(proxy -> proxy.swallowReplies(false));
        });
        cutter.setDaemon(true);
        cutter.start();
    }

    private long scripts() {
        return server.calls("evalsha") + server.calls("eval");
    }

    /** As if the session had not been renewed in time, and somebody had noticed. */
    void expire(RedisSession session) {
        server.call("ZADD", keys.sessions(), "XX", "1", session.id());
        String channels = keys.channels();
        server.call("EVAL", Script.RENEW.text(), "2", keys.sessions(), keys.sequences(), "nobody", channels, "1", "1");
    }

    /** Removes the first ticket of a lock as an operator might, without a word to anybody. */
    void evict(String lock) {
        server.call("ZREMRANGEBYRANK", keys.queue(lock), "0", "0");
    }

    void restart() {
        server.restart();
    }

    void pause() {
        paused = true;
        server.pause();
    }

    void resume() {
        server.resume();
        paused = false;
    }

    List<String> leftovers() {
        if (paused) {
            resume(); // a test that failed may have left it so
        }
        List<String> found = new ArrayList<>();
        try (RedisConnection admin = RedisConnection.to(server.port())) {
            for (Object key : list(admin.call("KEYS", prefix + ":*"))) {
                if (((String) key).contains("}:data:")) {
                    describe(admin, (String) key, found);
                } else {
                    found.add("key " + key);
                }
            }
            for (String client : String.valueOf(admin.call("CLIENT", "LIST")).split("\n")) {
                if (!client.contains("cmd=client") && !client.contains("flags=O")) {
                    found.add("connection " + client);
                }
            }
        } catch (IOException silent) {
            found.add("a server that does not answer: " + silent);
        }
        return found;
    }

    /** The last number and the notice of a name that had tickets stay for a day. */
    private static void describe(RedisConnection admin, String key, List<String> found) throws IOException {
        List<?> fields = list(admin.call("HGETALL", key));
        for (int i = 0; i < fields.size(); i += 2) {
            if (!List.of("n", "v", "p", "t").contains(fields.get(i))) {
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
        proxies.values().forEach(TcpProxy::close);
    }
}
