package io.wellkeeper.redis;

import io.lettuce.core.RedisCommandExecutionException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Which server is in charge of what. */
interface Topology {

    /**
     * The master of a slot.
     *
     * @param slot of the Cluster; without meaning where all keys are in one place
     * @param again whether what was known before has turned out to be of no use
     * @return fails with {@link io.wellkeeper.LockStoreException} when nobody says
     */
    CompletionStage<RedisServer> master(int slot, boolean again);

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
