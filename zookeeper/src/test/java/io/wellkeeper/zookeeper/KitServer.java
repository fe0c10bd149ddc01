package io.wellkeeper.zookeeper;

import io.wellkeeper.spi.StoreUri;
import io.wellkeeper.testservers.TcpProxy;
import io.wellkeeper.testservers.TcpProxy.Fate;
import io.wellkeeper.testservers.ZooKeeperProcess;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooKeeper;

/** The verbs of the kits: a real server behind one proxy for each connection, and a root for each test. */
final class KitServer {

    private final ZooKeeperProcess server;
    private final String root = "/kit-" + UUID.randomUUID();
    private final Map<Object, TcpProxy> proxies = new ConcurrentHashMap<>();
    private final Requests requests = new Requests();

    KitServer(ZooKeeperProcess server) {
        this.server = server;
    }

    ZooKeeperTicketStore ticketStore() {
        TcpProxy proxy = proxy();
        ZooKeeperTicketStore store = ZooKeeperTicketStore.of(uri(proxy));
        proxies.put(store, proxy);
        return store;
    }

    ZooKeeperLeaseStore leaseStore() {
        TcpProxy proxy = proxy();
        ZooKeeperLeaseStore store = ZooKeeperLeaseStore.of(uri(proxy));
        proxies.put(store, proxy);
        return store;
    }

    private TcpProxy proxy() {
        TcpProxy proxy = TcpProxy.framed(server.port());
        proxy.rule(requests);
        return proxy;
    }

    private StoreUri uri(TcpProxy proxy) {
        return StoreUri.parse("zookeeper://" + proxy.address() + "?root=" + root);
    }

    void deafen(Object store) {
        proxies.get(store).swallowReplies(true);
    }

    void cut(Object store) {
        TcpProxy proxy = proxies.get(store);
        proxy.refuse(true);
        proxy.cut();
        proxy.swallowReplies(false);
    }

    void mend(Object store) {
        proxies.get(store).refuse(false);
    }

    void loseNextReplyOfTake() {
        requests.lose(Fate.LOSE_REPLY, "create", 1);
    }

    void loseNextReplyOfReplace() {
        requests.lose(Fate.LOSE_REPLY, "multi", 1);
    }

    /** Ends a session as its owner would, by taking it over and closing it. */
    void expire(ZooKeeper zooKeeper) throws Exception {
        try (ZooKeeper twin = new ZooKeeper(
                server.address(), 10_000, event -> {}, zooKeeper.getSessionId(), zooKeeper.getSessionPasswd())) {
            twin.exists("/", false);
        } catch (KeeperException.SessionExpiredException ended) {
            // somebody was faster
        }
    }

    /** Removes the first ticket of a lock, or its lease. */
    void evict(String lock) throws Exception {
        try (ZooKeeper admin = new ZooKeeper(server.address(), 10_000, event -> {})) {
            String queue = LockPaths.path(root + "/locks", lock);
            if (admin.exists(queue, false) != null) {
                String first = TicketNodes.parse(admin.getChildren(queue, false))
                        .get(0)
                        .id();
                admin.delete(queue + "/" + first, -1);
            } else {
                admin.delete(LockPaths.path(root + "/simple", lock), -1);
            }
        }
    }

    void restart() {
        server.restart();
    }

    void pause() {
        server.pause();
    }

    void resume() {
        server.resume();
    }

    List<String> leftovers() {
        server.resume(); // a test that failed may have left it paused
        List<String> found = new ArrayList<>();
        Map<String, String> counters = server.counters();
        for (String counter : List.of("zk_watch_count", "zk_ephemerals_count")) {
            if (!"0".equals(counters.get(counter))) {
                found.add(counter + " is " + counters.get(counter));
            }
        }
        if (!"1".equals(counters.get("zk_num_alive_connections"))) {
            found.add("connections besides this one: " + counters.get("zk_num_alive_connections"));
        }
        return found;
    }

    void close() {
        proxies.values().forEach(TcpProxy::close);
    }
}
