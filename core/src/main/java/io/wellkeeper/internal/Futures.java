package io.wellkeeper.internal;

import io.wellkeeper.Registration;
import io.wellkeeper.spi.Time;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;

/** Turns a future that stands for a wait into blocking calls and into futures for the user. */
final class Futures {

    private Futures() {}

    /** Parks until the wait is over. An interrupt ends it; one that comes too late for that is remembered. */
    static <T> T await(CompletableFuture<T> wait) throws InterruptedException {
        boolean late = false;
        try {
            while (true) {
                try {
                    return wait.get();
                } catch (InterruptedException interrupted) {
                    if (wait.cancel(false)) {
                        throw interrupted;
                    }
                    late = true;
                }
            }
        } catch (ExecutionException failed) {
            throw Calls.own(failed);
        } finally {
            if (late) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Ends a wait when the time has passed. */
    static <T> CompletableFuture<T> limited(CompletableFuture<T> wait, long nanos, Time time, Runnable timeUp) {
        Registration alarm = time.schedule(Duration.ofNanos(Math.max(0, nanos)), timeUp);
        wait.whenComplete((value, failure) -> alarm.close());
        return wait;
    }

    /**
     * A future for the user, completed on the callback executor. If the user completes it in any way, the wait ends.
     */
    static <T, U> CompletableFuture<U> forUser(CompletableFuture<T> wait, Events events, Function<T, U> view) {
        return forUser(wait, wait, events, view);
    }

    /** As the other method, for a wait without a result. */
    static CompletableFuture<Void> forUser(CompletableFuture<?> wait, Events events) {
        return forUser(wait, wait.thenAccept(value -> {}), events, over -> over);
    }

    private static <T, U> CompletableFuture<U> forUser(
            CompletableFuture<?> wait, CompletableFuture<T> told, Events events, Function<T, U> view) {
        CompletableFuture<U> users = new Ending<>() {
            @Override
            void end() {
                wait.cancel(false);
            }
        };
        told.whenComplete((value, failure) -> events.run(() -> {
            if (failure == null) {
                hand(value, users, view, unwanted -> {});
            } else {
                users.completeExceptionally(Calls.unwrap(failure));
            }
        }));
        return users;
    }

    /**
     * Hands a value over to the user's future.
     *
     * @param view makes the user's view of the value
     * @param takeBack takes the value back if the view fails or the user has completed the future already
     */
    static <T, U> void hand(T value, CompletableFuture<U> users, Function<T, U> view, Consumer<T> takeBack) {
        U seen;
        try {
            seen = view.apply(value);
        } catch (RuntimeException wrong) {
            users.completeExceptionally(wrong);
            takeBack.accept(value);
            return;
        }
        if (!users.complete(seen)) {
            takeBack.accept(value);
        }
    }

    static long nanos(long time, TimeUnit unit) {
        return Math.max(0, unit.toNanos(time));
    }
}
