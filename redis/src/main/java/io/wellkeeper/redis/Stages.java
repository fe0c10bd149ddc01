package io.wellkeeper.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;

/** Stages that fail with the failure itself, and not with one wrapped around it. */
final class Stages {

    private Stages() {}

    /**
     * Calls the driver. What it throws becomes the failure, also a linkage error, which an incomplete driver throws.
     */
    static <T> CompletionStage<T> of(Supplier<? extends CompletionStage<T>> request) {
        try {
            return request.get();
        } catch (RuntimeException | LinkageError thrown) {
            return CompletableFuture.failedFuture(thrown);
        }
    }

    /** Applies a function to the outcome; what the function throws becomes the failure. */
    static <T, R> CompletableFuture<R> map(CompletionStage<T> stage, Function<? super T, ? extends R> function) {
        CompletableFuture<R> result = new CompletableFuture<>();
        stage.whenComplete((value, failure) -> {
            if (failure != null) {
                result.completeExceptionally(unwrap(failure));
                return;
            }
            try {
                result.complete(function.apply(value));
            } catch (RuntimeException | LinkageError thrown) {
                result.completeExceptionally(thrown);
            }
        });
        return result;
    }

    /** All outcomes, in order, once there are all; fails if one fails. */
    static <T> CompletableFuture<List<T>> all(List<CompletableFuture<T>> stages) {
        return map(CompletableFuture.allOf(stages.toArray(CompletableFuture<?>[]::new)), done -> {
            List<T> results = new ArrayList<>(stages.size());
            stages.forEach(stage -> results.add(stage.join()));
            return results;
        });
    }

    static Throwable unwrap(Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        return cause == null ? failure : cause;
    }
}
