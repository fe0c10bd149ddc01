package io.wellkeeper.redis;

import io.lettuce.core.RedisClient;
import io.lettuce.core.codec.StringCodec;
import io.wellkeeper.LockStoreException;
import io.wellkeeper.spi.StoreUri;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The masters of a Redis Cluster. When the known masters turn out to be outdated, all nodes are asked again, and the
 * answer that most of them give counts. However many sessions want to know, one question is under way at a time, and no
 * question begins within {@link #PAUSE} of the last one.
 */
final class ClusterSlots implements Topology {

    private static final Duration PAUSE = Duration.ofMillis(100);

    private final Questions questions = new Questions();
    private final RedisClient client;
    private final List<RedisServer> seeds;
    private final ReentrantLock lock = new ReentrantLock(); // guards the fields below
    private @Nullable CompletableFuture<NavigableMap<Integer, Range>> known;
    private long askedAt;

    ClusterSlots(RedisClient client, List<RedisServer> seeds) {
        this.client = client;
        this.seeds = seeds;
    }

    /** The masters of the Cluster of which {@code ..-cluster://host:port,host:port} names some nodes. */
    static Function<RedisClient, Topology> of(StoreUri uri) {
        if (!uri.path().isEmpty() && !uri.path().equals("/")) {
            throw new IllegalArgumentException("store URI has a path; a Redis Cluster has no databases to choose from");
        }
        List<RedisServer> seeds = RedisServer.all(uri, RedisServer.DEFAULT_PORT, 0);
        return client -> new ClusterSlots(client, seeds);
    }

    /** The slots from the key in the map up to this last one. */
    private record Range(int last, RedisServer master) {}

    @Override
    public CompletionStage<RedisServer> master(int slot, boolean again) {
        return Stages.map(slots(again), ranges -> {
            Map.Entry<Integer, Range> entry = ranges.floorEntry(slot);
            if (entry == null || entry.getValue().last() < slot) {
                throw new LockStoreException("Redis Cluster at " + address() + ": nobody serves the slot " + slot);
            }
            return entry.getValue().master();
        });
    }

    private CompletableFuture<NavigableMap<Integer, Range>> slots(boolean again) {
        CompletableFuture<NavigableMap<Integer, Range>> asked = new CompletableFuture<>();
        Set<RedisServer> nodes = new LinkedHashSet<>(seeds);
        lock.lock();
        try {
            CompletableFuture<NavigableMap<Integer, Range>> last = known;
            if (last != null) {
                boolean fresh = !last.isDone() || System.nanoTime() - askedAt < PAUSE.toNanos();
                boolean useful = !last.isDone() || !last.isCompletedExceptionally();
                if (fresh || useful && !again) {
                    return last;
                }
                if (useful) {
                    last.join().values().forEach(range -> nodes.add(range.master()));
                }
            }
            known = asked;
            askedAt = System.nanoTime();
        } finally {
            lock.unlock();
        }
        Majority.of(nodes.stream().map(this::ask).toList()).whenComplete((ranges, failure) -> {
            if (failure == null) {
                asked.complete(ranges);
            } else {
                asked.completeExceptionally(failure);
            }
        });
        return asked;
    }

    private CompletableFuture<NavigableMap<Integer, Range>> ask(RedisServer node) {
        CompletableFuture<List<Object>> answer = questions.ask(
                node,
                () -> client.connectAsync(StringCodec.UTF8, node.uri("wellkeeper")),
                connection -> connection.async().clusterSlots());
        return Stages.map(answer, slots -> {
            if (slots.isEmpty()) {
                throw new LockStoreException("the Redis Cluster node at " + node.address() + " knows no slots");
            }
            return read(slots, node);
        });
    }

    @Override
    public CompletableFuture<Void> close() {
        return questions.close();
    }

    private static NavigableMap<Integer, Range> read(List<Object> answer, RedisServer node) {
        NavigableMap<Integer, Range> ranges = new TreeMap<>();
        for (Object entry : answer) {
            List<?> range = (List<?>) entry;
            List<?> master = (List<?>) range.get(2);
            String host = String.valueOf(master.get(0));
            boolean same = host.isEmpty() || host.equals("null") || host.equals("?"); // the host that was asked
            int port = ((Number) master.get(1)).intValue();
            ranges.put(
                    ((Number) range.get(0)).intValue(),
                    new Range(((Number) range.get(1)).intValue(), node.at(same ? node.host() : host, port)));
        }
        return ranges;
    }

    @Override
    public String address() {
        return seeds.stream().map(RedisServer::address).collect(Collectors.joining(","));
    }
}
