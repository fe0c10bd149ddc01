package io.wellkeeper;

import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Runs an action while a lock is held, and releases the lock afterwards.
 *
 * @param action the action
 * @param result the future that the user has
 */
record WithLock<T extends @Nullable Object>(
        Function<? super LockHandle, ? extends CompletionStage<T>> action, Result<T> result) {

    static <T extends @Nullable Object> CompletableFuture<T> when(
            CompletableFuture<LockHandle> acquired, Function<? super LockHandle, ? extends CompletionStage<T>> action) {
        WithLock<T> doing = new WithLock<>(action, new Result<>(acquired));
        acquired.whenComplete((handle, refused) -> {
            if (refused == null) {
                doing.begin(handle);
            } else if (!doing.result.isEnding()) {
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

    /**
     * Releases the lock. Returns true if neither the action nor the release failed; otherwise makes the result fail.
     */
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

    /**
     * The user may complete this future at any time. It leaves the queue before it completes, because dependent stages
     * may want the same lock.
     */
    private static final class Result<T extends @Nullable Object> extends CompletableFuture<T> {

        private final CompletableFuture<LockHandle> acquired;
        private volatile boolean ending;

        Result(CompletableFuture<LockHandle> acquired) {
            this.acquired = acquired;
            whenComplete((value, failure) -> leave()); // for completeAsync and the like, which call no method below
        }

        boolean isEnding() {
            return ending || isDone();
        }

        private void leave() {
            ending = true;
            acquired.cancel(false);
        }

        @Override
        public boolean complete(T value) {
            leave();
            return super.complete(value);
        }

        @Override
        public boolean completeExceptionally(Throwable failure) {
            leave();
            return super.completeExceptionally(failure);
        }

        @Override
        public boolean cancel(boolean mayInterrupt) {
            leave();
            return super.cancel(mayInterrupt);
        }
    }
}
