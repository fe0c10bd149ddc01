package io.wellkeeper.storekit;

import io.wellkeeper.Held;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Waits for events, and fails if they do not come in time. */
final class Await {

    private static final String PATIENCE = "io.wellkeeper.storekit.patienceMillis";
    private static final long DEFAULT_PATIENCE = 60_000;

    private static final long FIRST_PAUSE_NANOS = 1_000_000;
    private static final long LAST_PAUSE_NANOS = 25_000_000; // most conditions ask the store

    private Await() {}

    /** Far longer than any event takes if all is well. A system property makes it longer still for a slow machine. */
    static Duration patience() {
        return Duration.ofMillis(Long.getLong(PATIENCE, DEFAULT_PATIENCE));
    }

    static <T extends @Nullable Object> T get(CompletionStage<T> stage) {
        return result(stage.toCompletableFuture());
    }

    /** Waits for the result. An unchecked exception of the computation is thrown as it is. */
    static <T extends @Nullable Object> T result(Future<T> future) {
        try {
            return future.get(patience().toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException failure) {
            Throwable cause = failure.getCause();
            if (cause instanceof RuntimeException unchecked) {
                throw unchecked;
            }
            throw new AssertionError("failed with " + cause, cause);
        } catch (TimeoutException tooLong) {
            throw new AssertionError("no result within " + patience(), tooLong);
        } catch (InterruptedException interrupted) {
            throw new AssertionError("the test was interrupted", interrupted);
        }
    }

    /** A future that completes when the holder is told of its loss. */
    static CompletableFuture<Void> loss(Held held) {
        CompletableFuture<Void> lost = new CompletableFuture<>();
        held.onLost(() -> lost.complete(null));
        return lost;
    }

    static void until(String what, BooleanSupplier condition) {
        until(() -> what, condition);
    }

    static void until(Supplier<String> what, BooleanSupplier condition) {
        long start = System.nanoTime();
        long pause = FIRST_PAUSE_NANOS;
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - start > patience().toNanos()) {
                throw new AssertionError("not within " + patience() + ": " + what.get());
            }
            LockSupport.parkNanos(pause);
            pause = Math.min(2 * pause, LAST_PAUSE_NANOS);
        }
    }
}
