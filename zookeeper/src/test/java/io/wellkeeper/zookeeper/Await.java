package io.wellkeeper.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.LockStoreException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Waits for stages. */
final class Await {

    private Await() {}

    static <T> T get(CompletionStage<T> stage) {
        try {
            return stage.toCompletableFuture().get(60, TimeUnit.SECONDS);
        } catch (ExecutionException failed) {
            throw new AssertionError(failed.getCause());
        } catch (InterruptedException | TimeoutException failed) {
            throw new AssertionError(failed);
        }
    }

    /** How the stage fails. */
    static LockStoreException failure(CompletionStage<?> stage) {
        Throwable failure =
                get(stage.handle((value, failed) -> failed == null ? new AssertionError("it gave " + value) : failed));
        assertThat(failure).isInstanceOf(LockStoreException.class);
        return (LockStoreException) failure;
    }
}
