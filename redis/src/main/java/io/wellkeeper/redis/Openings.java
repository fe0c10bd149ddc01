package io.wellkeeper.redis;

import io.wellkeeper.LockStoreException;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/** What takes its time, such as connecting to a server; and an end, after which none begins. */
final class Openings {

    private final Set<CompletableFuture<?>> underWay = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    /**
     * Something begins.
     *
     * @param over to be completed, in any way, when it is over; fails here if it may not begin
     * @param address of the store
     * @return whether it may begin; it may not after the end
     */
    boolean begin(CompletableFuture<?> over, String address) {
        over.whenComplete((done, failure) -> underWay.remove(over));
        underWay.add(over); // before it is seen whether this is the end: that looks for what is under way afterwards
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
