package io.wellkeeper.redis;

import io.lettuce.core.SetArgs;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.cluster.SlotHash;
import io.wellkeeper.LockStoreException;
import io.wellkeeper.spi.StoreRefusalException;
import io.wellkeeper.spi.Time;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes sure that all clients of a Cluster spread the locks over the same number of partitions: two numbers would make
 * two locks of one name, and two holders. The first client writes its number into the Cluster, and a client with
 * another number is refused. The number is kept for a day after the last client. If the master of the number cannot be
 * asked, nobody is refused, because that would cost the locks on the other masters; then it is asked again when the
 * next session begins. It is also asked again when a master has lost sessions, because that master may have lost the
 * number, too.
 */
final class PartitionCount {

    private static final Logger LOG = LoggerFactory.getLogger(PartitionCount.class);
    private static final int ATTEMPTS = 2; // the second at the server that is in charge by then

    private final Topology topology;
    private final Wires wires;
    private final Keys keys;
    private final String count;
    private volatile boolean agreed; // the number is the same; remains so as long as no data is lost

    PartitionCount(Topology topology, Wires wires, Keys keys) {
        this.topology = topology;
        this.wires = wires;
        this.keys = keys;
        this.count = Integer.toString(keys.partitions().size());
    }

    /**
     * Checks the number before a session begins.
     *
     * @param clientName what the connection is called
     * @param idleMillis for how long the number is kept
     * @return fails with {@link StoreRefusalException} if other clients have another number
     */
    CompletionStage<Void> check(String clientName, long idleMillis) {
        if (agreed || !keys.isCluster()) {
            return CompletableFuture.completedFuture(null);
        }
        return ask(clientName, idleMillis).thenAccept(theirs -> {
            if (theirs.equals(count)) {
                agreed = true;
            } else if (!theirs.isEmpty()) {
                throw new StoreRefusalException("Redis Cluster at " + topology.address()
                        + ": the clients there have partitions=" + theirs + ", and this one has partitions=" + count
                        + ", by which it would find none of their locks; let all have the same. To change it, end them"
                        + " all and delete the key " + keys.count());
            }
        });
    }

    /** A master has lost data, perhaps also the number. */
    void doubt() {
        agreed = false;
    }

    /** Keeps the number for longer, or writes it again. */
    void touch(String clientName, long idleMillis) {
        if (keys.isCluster()) {
            ask(clientName, idleMillis).thenAccept(theirs -> {
                if (!theirs.isEmpty() && !theirs.equals(count)) {
                    LOG.error(
                            "Redis Cluster at {}: other clients have partitions={}, and this one has partitions={}: neither"
                                    + " finds the locks of the other",
                            topology.address(),
                            theirs,
                            count);
                }
            });
        }
    }

    /** The number in the Cluster, whichever client has written it; empty if no server says. */
    private CompletableFuture<String> ask(String clientName, long idleMillis) {
        CompletableFuture<String> result = new CompletableFuture<>();
        ask(clientName, idleMillis, ATTEMPTS, result);
        return Time.limit(result, RedisServer.CONNECT_TIMEOUT).exceptionally(failure -> {
            LOG.warn(
                    "Redis Cluster at {}: nobody says whether other clients have partitions={}, too: {}",
                    topology.address(),
                    count,
                    failure instanceof TimeoutException ? "no answer" : String.valueOf(failure.getMessage()));
            return "";
        });
    }

    private void ask(String clientName, long idleMillis, int attempts, CompletableFuture<String> result) {
        topology.master(SlotHash.getSlot(keys.count()), attempts < ATTEMPTS)
                .thenCompose(server -> wires.to(server, clientName))
                .whenComplete((wire, unreachable) -> {
                    if (wire == null) {
                        result.completeExceptionally(Stages.unwrap(unreachable));
                        return;
                    }
                    result.whenComplete((theirs, failure) -> wires.release(wire));
                    ask(wire.commands(), idleMillis).whenComplete((theirs, failure) -> {
                        if (failure == null) {
                            result.complete(theirs);
                        } else if (attempts > 1) {
                            ask(clientName, idleMillis, attempts - 1, result);
                        } else {
                            result.completeExceptionally(Stages.unwrap(failure));
                        }
                    });
                });
    }

    private CompletionStage<String> ask(RedisAsyncCommands<String, String> server, long idleMillis) {
        String key = keys.count();
        CompletionStage<String> written =
                server.set(key, count, SetArgs.Builder.nx().px(idleMillis));
        CompletionStage<String> there = server.get(key);
        CompletionStage<Boolean> kept = server.pexpire(key, idleMillis);
        return written.thenCombine(there, (unused, theirs) -> theirs).thenCombine(kept, (theirs, unused) -> {
            if (theirs == null) {
                throw new LockStoreException("the key " + key + " is not there");
            }
            return theirs;
        });
    }
}
