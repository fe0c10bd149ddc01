package io.wellkeeper.redis;

import io.lettuce.core.RedisCommandExecutionException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Which server is in charge of what. */
interface Topology {

    /** After which at the latest it is asked again who is in charge, where that may have changed untold. */
    Duration ROUND = Duration.ofSeconds(2);

    /**
     * The master of a slot.
     *
     * @param slot of the Cluster; without meaning where all keys are in one place
     * @param again whether what was known before has turned out to be of no use
     * @return fails with {@link io.wellkeeper.LockStoreException} when nobody says
     */
    CompletionStage<RedisServer> master(int slot, boolean again);

    /** Whether another server may be in charge without the one that was being told: that would go on answering. */
    default boolean mayReplaceUntold() {
        return false;
    }

    /**
     * Whether another server is in charge by now, as far as that {@linkplain #mayReplaceUntold may be untold}.
     *
     * @param address of the one that was
     * @return never fails; false if nobody knows
     */
    default CompletionStage<Boolean> isReplaced(String address) {
        return CompletableFuture.completedFuture(false);
    }

    /** Asks nobody any more; completes when nobody is being asked, and no connection for that is left. */
    default CompletableFuture<Void> close() {
        return CompletableFuture.completedFuture(null);
    }

    /** An address without secrets, for messages. */
    String address();

    /** One server, whatever happens. */
    static Topology of(RedisServer server) {
        return new Topology() {
            @Override
            public CompletionStage<RedisServer> master(int slot, boolean again) {
                return CompletableFuture.completedFuture(server);
            }

            @Override
            public String address() {
                return server.address();
            }
        };
    }

    /** The request was not carried out, and will be by another server, or by this one in a while. */
    static boolean isForAnother(RedisCommandExecutionException refusal) {
        return switch (Refusals.word(String.valueOf(refusal.getMessage()))) {
            case "MOVED", "ASK", "TRYAGAIN", "CLUSTERDOWN", "READONLY", "LOADING", "MASTERDOWN" -> true;
            default -> false;
        };
    }
}
