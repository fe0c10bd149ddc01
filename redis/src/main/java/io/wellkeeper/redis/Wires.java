package io.wellkeeper.redis;

import io.lettuce.core.RedisClient;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.wellkeeper.LockStoreException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;

/** The connections of a store: at most one for each server and client, shared by the client's sessions. */
final class Wires {

    private final RedisClient client;
    private final ReentrantLock lock = new ReentrantLock(); // guards the map and the counts
    private final Map<Key, Shared> wires = new HashMap<>();
    private final Openings openings = new Openings();

    Wires(RedisClient client) {
        this.client = client;
    }

    private record Key(RedisServer server, String clientName) {}

    private static final class Shared {
        final CompletableFuture<Wire> wire = new CompletableFuture<>();
        int users; // guarded by the lock
    }

    /**
     * A connection to a server, to be given back by {@link #release}.
     *
     * @param clientName what the connection is called at the server
     * @return fails with {@link LockStoreException}, at once after {@link #close}
     */
    CompletionStage<Wire> to(RedisServer server, String clientName) {
        Key key = new Key(server, clientName);
        Shared shared;
        boolean begin;
        lock.lock();
        try {
            Shared there = wires.get(key);
            if (there != null && isUseless(there.wire)) {
                there = null;
            }
            begin = there == null;
            shared = there == null ? new Shared() : there;
            shared.users++;
            wires.put(key, shared);
        } finally {
            lock.unlock();
        }
        if (begin && openings.begin(shared.wire, server.address())) {
            CompletionStage<StatefulRedisPubSubConnection<String, String>> connecting =
                    Stages.of(() -> client.connectPubSubAsync(StringCodec.UTF8, server.uri(clientName)));
            Stages.map(connecting, connection -> new Wire(server.address(), connection))
                    .whenComplete((wire, failure) -> {
                        if (wire == null) {
                            shared.wire.completeExceptionally(server.unreachable(failure));
                        } else {
                            shared.wire.complete(wire);
                        }
                    });
        }
        return shared.wire;
    }

    private static boolean isUseless(CompletableFuture<Wire> wire) {
        return wire.isDone() && (wire.isCompletedExceptionally() || wire.join().isBroken());
    }

    /** Ends the connection if nobody uses it any more. */
    CompletionStage<Void> release(Wire wire) {
        boolean last = wire.isBroken();
        lock.lock();
        try {
            for (Map.Entry<Key, Shared> entry : wires.entrySet()) {
                CompletableFuture<Wire> there = entry.getValue().wire;
                if (there.isDone() && !there.isCompletedExceptionally() && there.join() == wire) {
                    if (--entry.getValue().users == 0) {
                        wires.remove(entry.getKey());
                        last = true;
                    }
                    break;
                }
            }
        } finally {
            lock.unlock();
        }
        return last ? wire.breakOff() : CompletableFuture.completedFuture(null);
    }

    /** Makes no more connections; completes when no attempt to make one is under way. Existing connections stay. */
    CompletableFuture<Void> close() {
        return openings.close();
    }
}
