package io.wellkeeper.zookeeper;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/** Of stages that are made of others. */
final class Stages {

    private Stages() {}

    /** The same stage, which fails with the failure itself and not with one wrapped around it. */
    static <T> CompletionStage<T> plain(CompletionStage<T> stage) {
        CompletableFuture<T> result = new CompletableFuture<>();
        stage.whenComplete((value, failure) -> {
            if (failure == null) {
                result.complete(value);
            } else {
                Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
                result.completeExceptionally(cause == null ? failure : cause);
            }
        });
        return result;
    }
}
