package io.wellkeeper.internal;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/** How a store is called. */
final class Calls {

    private static final AtomicLong REQUESTS = new AtomicLong();

    private Calls() {}

    /** Names one request to take a ticket, and no other of this process. */
    static String requestId() {
        return Long.toString(REQUESTS.incrementAndGet(), Character.MAX_RADIX);
    }

    /** What the call returns; what it throws fails the stage, so that there is one way to fail. */
    static <T> CompletionStage<T> stage(Supplier<CompletionStage<T>> call) {
        assert Monitor.noneHeld() : "a store is called under a monitor";
        try {
            return call.get();
        } catch (RuntimeException thrown) {
            return CompletableFuture.failedFuture(thrown);
        }
    }

    /** The exception that the store meant. */
    static Throwable unwrap(Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
    }
}
