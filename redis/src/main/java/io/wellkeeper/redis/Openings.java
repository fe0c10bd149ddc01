package io.wellkeeper.redis;

import io.wellkeeper.LockStoreException;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/** Operations under way that take time, such as connecting to a server; after the end none can begin. */
final class Openings {

    private final Set<CompletableFuture<?>> underWay = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    /**
     * An operation begins.
     *
     * @param over to be completed, in any way, when the operation is over; fails here if it may not begin
     * @param address of the store
     * @return whether the operation may begin; it may not after the end
     */
    boolean begin(CompletableFuture<?> over, String address) {
        over.whenComplete((done, failure) -> underWay.remove(over));
        underWay.add(over); // before closed is read, because close() sets closed before it reads what is under way
        if (closed) {
            over.completeExceptionally(new LockStoreException("the store at " + address + " was closed"));
            return false;
        }
        return true;
    }

    /** From now on none begins; completes normally when all that have begun are over. */
    CompletableFuture<Void> close() {
        closed = true;
        return CompletableFuture.allOf(underWay.toArray(CompletableFuture<?>[]::new))
                .handle((done, failure) -> null);
    }
}
