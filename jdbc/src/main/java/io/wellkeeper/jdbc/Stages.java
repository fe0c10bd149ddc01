package io.wellkeeper.jdbc;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;

/** Stages that fail with the failure itself, and not with one wrapped around it. */
final class Stages {

    private Stages() {}

    /** Applies a function to the outcome; fails with what the function throws. */
    static <T, R> CompletableFuture<R> map(CompletionStage<T> stage, Function<? super T, ? extends R> function) {
        CompletableFuture<R> result = new CompletableFuture<>();
        stage.whenComplete((value, failure) -> {
            if (failure != null) {
                result.completeExceptionally(unwrap(failure));
                return;
            }
            try {
                result.complete(function.apply(value));
            } catch (RuntimeException thrown) {
                result.completeExceptionally(thrown);
            }
        });
        return result;
    }

    /** Completes when the consumer has taken the outcome; fails with what the consumer throws. */
    static <T> CompletableFuture<Void> then(CompletionStage<T> stage, Consumer<? super T> consumer) {
        CompletableFuture<Void> result = new CompletableFuture<>();
        stage.whenComplete((value, failure) -> {
            if (failure != null) {
                result.completeExceptionally(unwrap(failure));
                return;
            }
            try {
                consumer.accept(value);
                result.complete(null);
            } catch (RuntimeException thrown) {
                result.completeExceptionally(thrown);
            }
        });
        return result;
    }

    /** Completes with all outcomes, in the order of the stages, when all stages have ended; fails if one fails. */
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
