package io.wellkeeper.internal;

import io.wellkeeper.LockHandle;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What is done while a lock is held, and that it is released after it.
 *
 * @param action what is done
 * @param result the user's, who may complete it himself at any time
 */
public record WithLock<T extends @Nullable Object>(
        Function<? super LockHandle, ? extends CompletionStage<T>> action, Ending<T> result) {

    /** See {@link io.wellkeeper.DistributedLock#withLockAsync}. */
    public static <T extends @Nullable Object> CompletableFuture<T> when(
            CompletableFuture<LockHandle> acquired, Function<? super LockHandle, ? extends CompletionStage<T>> action) {
        WithLock<T> doing = new WithLock<>(action, new Ending<>() {
            @Override
            void end() {
                acquired.cancel(false);
            }
        });
        acquired.whenComplete((handle, refused) -> {
            if (refused == null) {
                doing.begin(handle);
            } else {
                doing.result.completeExceptionally(refused);
            }
        });
        return doing.result;
    }

    private void begin(LockHandle handle) {
        if (result.isEnding()) {
            end(handle, null);
            return;
        }
        try {
            CompletionStage<T> begun = Objects.requireNonNull(action.apply(handle), "the action has returned no stage");
            begun.whenComplete((value, failure) -> {
                if (end(handle, failure)) {
                    result.complete(value);
                }
            });
        } catch (Throwable thrown) {
            end(handle, thrown);
        }
    }

    /** Whether neither the action nor the release has failed; otherwise the result has. */
    private boolean end(LockHandle handle, @Nullable Throwable failure) {
        Throwable thrown = failure;
        try {
            handle.close();
        } catch (Throwable lost) {
            if (thrown == null) {
                thrown = lost;
            } else if (thrown != lost) {
                thrown.addSuppressed(lost);
            }
        }
        if (thrown != null) {
            result.completeExceptionally(thrown);
        }
        return thrown == null;
    }
}
