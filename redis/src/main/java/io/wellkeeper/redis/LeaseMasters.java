package io.wellkeeper.redis;

import io.lettuce.core.cluster.SlotHash;
import io.wellkeeper.LockStoreException;
import io.wellkeeper.spi.Time;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntConsumer;

/**
 * The servers that keep leases: one server, the master that sentinels have chosen, or the masters of a Cluster, each of
 * which has some of the keys. The topology is asked for the server of a slot when it is not known, and again when a
 * request to it has failed, because the server has hung up for instance. If a server says that another is in charge,
 * the refused request was not carried out, and is sent to the other one.
 */
final class LeaseMasters {

    private static final Duration PAUSE = Duration.ofMillis(120);

    private final Topology topology;
    private final boolean cluster;
    private final Function<RedisServer, LeaseNode> maker;
    private final LeaseConnector connector;
    private final IntConsumer found;
    private final Map<Integer, RedisServer> known = new ConcurrentHashMap<>(); // by slot
    private final Map<RedisServer, LeaseNode> nodes = new ConcurrentHashMap<>();
    private volatile boolean doubted; // whether a server that was known has turned out to be of no use
    private volatile boolean closed;

    /**
     * As {@link #LeaseMasters(LeasePlace, LeaseConnector, Function, IntConsumer)}, for callers that need not know
     * where a slot is.
     */
    LeaseMasters(LeasePlace place, LeaseConnector connector, Function<RedisServer, LeaseNode> maker) {
        this(place, connector, maker, slot -> {});
    }

    /**
     * @param maker of the node that speaks to one server
     * @param found given each slot whose server was asked for, once the server is known
     */
    LeaseMasters(
            LeasePlace place, LeaseConnector connector, Function<RedisServer, LeaseNode> maker, IntConsumer found) {
        this.cluster = place.cluster();
        this.topology = place.finder().apply(connector.client());
        this.connector = connector;
        this.maker = maker;
        this.found = found;
        if (topology.mayReplaceUntold()) {
            Time.later(Topology.ROUND, this::look);
        }
    }

    /** As {@link LeaseLink#run}, at the server that has the first key. */
    CompletableFuture<List<Object>> run(LeaseScript script, List<String> keys, List<String> arguments) {
        CompletableFuture<List<Object>> result = new CompletableFuture<>();
        run(script, keys, arguments, System.nanoTime(), result);
        return result;
    }

    private void run(
            LeaseScript script,
            List<String> keys,
            List<String> arguments,
            long since,
            CompletableFuture<List<Object>> result) {
        int slot = slot(keys.get(0));
        RedisServer server = known.get(slot);
        if (server == null) {
            ask(slot).whenComplete((found, failure) -> {
                if (failure == null) {
                    run(script, keys, arguments, since, found, slot, result);
                } else {
                    result.completeExceptionally(Stages.unwrap(failure));
                }
            });
        } else {
            run(script, keys, arguments, since, server, slot, result);
        }
    }

    private void run(
            LeaseScript script,
            List<String> keys,
            List<String> arguments,
            long since,
            RedisServer server,
            int slot,
            CompletableFuture<List<Object>> result) {
        node(server).run(script, keys, arguments).whenComplete((answer, failure) -> {
            if (failure == null) {
                result.complete(answer);
                return;
            }
            Throwable reason = Stages.unwrap(failure);
            if (known.remove(slot, server)) {
                doubted = true;
            }
            if (reason instanceof LeaseLink.NotInCharge && mayRepeat(since)) {
                Time.later(PAUSE, () -> run(script, keys, arguments, since, result));
            } else {
                result.completeExceptionally(reason);
            }
        });
    }

    private boolean mayRepeat(long since) {
        return !closed && System.nanoTime() - since < LeaseLink.PATIENCE.toNanos();
    }

    /** The slot of a key; without meaning where all keys are in one place. */
    int slot(String key) {
        return cluster ? SlotHash.getSlot(key) : 0;
    }

    private CompletableFuture<RedisServer> ask(int slot) {
        if (closed) {
            return CompletableFuture.failedFuture(new LockStoreException("the store at " + address() + " was closed"));
        }
        return Stages.map(topology.master(slot, doubted), server -> {
            doubted = false;
            known.put(slot, server);
            found.accept(slot);
            return server;
        });
    }

    /** Checks regularly whether the servers known to be in charge still are. */
    private void look() {
        if (closed) {
            return;
        }
        known.forEach((slot, server) -> topology.isReplaced(server.address()).thenAccept(replaced -> {
            if (replaced && known.remove(slot, server)) {
                doubted = true;
            }
        }));
        Time.later(Topology.ROUND, this::look);
    }

    private LeaseNode node(RedisServer server) {
        LeaseNode node = nodes.computeIfAbsent(server, maker);
        if (closed) {
            node.close();
        }
        return node;
    }

    /** Whether a server is the one that has a key; true as long as that is not known. */
    boolean isHome(RedisServer server, String key) {
        return server.equals(known.getOrDefault(slot(key), server));
    }

    /** Does something with the connection to the server that has a key, if there is one. */
    void at(String key, Consumer<LeaseLink> action) {
        RedisServer home = known.get(slot(key));
        if (home != null) {
            node(home).linkIfAny().thenAccept(action);
        }
    }

    /** Does something with each connection that there is. */
    void everywhere(Consumer<LeaseLink> action) {
        nodes.values().forEach(node -> node.linkIfAny().thenAccept(action));
    }

    String address() {
        return topology.address();
    }

    /** Ends the connections when the requests under way have been answered, and then their threads. */
    void close() {
        closed = true;
        connector.close(CompletableFuture.allOf(
                        nodes.values().stream().map(LeaseNode::close).toArray(CompletableFuture<?>[]::new))
                .thenCompose(ended -> topology.close()));
    }
}
