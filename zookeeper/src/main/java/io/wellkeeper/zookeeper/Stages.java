package io.wellkeeper.zookeeper;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;

/** Of stages that are made of others. */
final class Stages {

    private Stages() {}

    /** The same stage, which fails with the failure itself and not with one wrapped around it. */
    static <T> CompletionStage<T> plain(CompletionStage<T> stage) {
        CompletableFuture<T> result = new CompletableFuture<>();
        pass(stage, result);
        return result;
    }

    /** Completes when all have. */
    static CompletionStage<Void> all(Stream<CompletionStage<Void>> stages) {
        return CompletableFuture.allOf(
                stages.map(CompletionStage::toCompletableFuture).toArray(CompletableFuture<?>[]::new));
    }

    /** Completes the other as {@link #plain} does. */
    static <T> void pass(CompletionStage<T> stage, CompletableFuture<T> other) {
        stage.whenComplete((value, failure) -> {
            if (failure == null) {
                other.complete(value);
            } else {
                other.completeExceptionally(plain(failure));
            }
        });
    }

    /** The failure itself, without what was wrapped around it on its way. */
    static Throwable plain(Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        return cause == null ? failure : cause;
    }
}
