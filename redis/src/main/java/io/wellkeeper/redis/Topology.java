package io.wellkeeper.redis;

import io.lettuce.core.RedisCommandExecutionException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Which server is in charge of what. */
interface Topology {

    /** How often at least it is asked which server is in charge, where that may change without a notification. */
    Duration ROUND = Duration.ofSeconds(2);

    /**
     * The master of a slot.
     *
     * @param slot of the Cluster; without meaning where all keys are in one place
     * @param again whether a connection to the master known before was lost or left, or could not be used
     * @return fails with {@link io.wellkeeper.LockStoreException} if no server says which one is the master
     */
    CompletionStage<RedisServer> master(int slot, boolean again);

    /** Whether another server may take over without the former one being told, which then goes on answering. */
    default boolean mayReplaceUntold() {
        return false;
    }

    /**
     * Whether another server is in charge by now, where the former one {@linkplain #mayReplaceUntold may not have been
     * told}.
     *
     * @param address of the server that was in charge
     * @return never fails; false if no server knows
     */
    default CompletionStage<Boolean> isReplaced(String address) {
        return CompletableFuture.completedFuture(false);
    }

    /** Asks no server any more; completes when no question is under way, and no connection for questions is left. */
    default CompletableFuture<Void> close() {
        return CompletableFuture.completedFuture(null);
    }

    /** An address without secrets, for messages. */
    String address();

    /** One server, which is always in charge. */
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

    /** Whether the refused request was not carried out, and can be by another server, or by this one in a while. */
    static boolean isForAnother(RedisCommandExecutionException refusal) {
        return switch (Refusals.word(String.valueOf(refusal.getMessage()))) {
            case "MOVED", "ASK", "TRYAGAIN", "CLUSTERDOWN", "READONLY", "LOADING", "MASTERDOWN" -> true;
            default -> false;
        };
    }
}
