package io.wellkeeper.testkit;

import io.wellkeeper.DistributedLock;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockOptions;
import io.wellkeeper.spi.Mode;
import io.wellkeeper.spi.Ticket;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A mutex: one holder at a time. */
final class SimulatedMutex implements SimulatedPrimitive {

    @Override
    public Want choose(SplittableRandom random, List<String> names) {
        return new Want(List.of(names.get(random.nextInt(names.size()))), Mode.EXCLUSIVE, 1);
    }

    @Override
    public CompletableFuture<Optional<Holding>> acquire(
            LockClient client, Want want, LockOptions options, Optional<Duration> timeout) {
        return acquire(client.lock(want.names().get(0), options), timeout);
    }

    static CompletableFuture<Optional<Holding>> acquire(DistributedLock lock, Optional<Duration> timeout) {
        return timeout.isPresent()
                ? view(lock.tryAcquireAsync(timeout.get()), handle -> handle.map(HandleHolding::new))
                : view(lock.acquireAsync(), handle -> Optional.of(new HandleHolding(handle)));
    }

    /**
     * A view of a future. If a user completes the view, the future is completed in the same way. If the future cannot
     * be completed any more because its result is just being handed over, the result is closed when it comes.
     */
    static <T, U> CompletableFuture<Optional<U>> view(
            CompletableFuture<T> future, Function<T, Optional<U>> view, Consumer<U> close) {
        CompletableFuture<Optional<U>> result = future.thenApply(view);
        result.whenComplete((done, failure) -> {
            if (!future.isDone() && !isEnded(future, result.isCancelled(), failure)) {
                future.thenAccept(late -> view.apply(late).ifPresent(close));
            }
        });
        return result;
    }

    /** As {@link #view(CompletableFuture, Function, Consumer)}, for a result that is held. */
    static <T, U extends Holding> CompletableFuture<Optional<U>> view(
            CompletableFuture<T> future, Function<T, Optional<U>> view) {
        return view(future, view, Holding::close);
    }

    private static boolean isEnded(CompletableFuture<?> future, boolean cancelled, @Nullable Throwable failure) {
        if (cancelled) {
            return future.cancel(false);
        }
        return failure == null ? future.complete(null) : future.completeExceptionally(failure);
    }

    @Override
    public boolean tolerates(String name, List<Want> inside) {
        return inside.size() <= 1;
    }

    @Override
    public boolean admits(String name, Ticket mine, List<Ticket> ahead) {
        return ahead.isEmpty();
    }

    /** Something that is held by a handle. */
    record HandleHolding(LockHandle handle) implements Holding {
        @Override
        public boolean isHeld() {
            return handle.isHeld();
        }

        @Override
        public long token(String name) {
            return handle.fencingToken();
        }

        @Override
        public void onLost(Runnable told) {
            handle.onLost(told);
        }

        @Override
        public void close() {
            handle.close();
        }
    }
}
