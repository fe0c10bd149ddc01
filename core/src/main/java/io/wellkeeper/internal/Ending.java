package io.wellkeeper.internal;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A future that others may complete, too, such as the user who has it. Whoever completes it, {@link #end} runs first
 * and then the completion is visible: dependents of the future, and threads that wait for it, find that done.
 */
abstract class Ending<T extends @Nullable Object> extends CompletableFuture<T> {

    private final AtomicBoolean begun = new AtomicBoolean();
    private volatile Runnable takeBack = () -> {}; // gives back the result of a callback that has not run yet

    Ending() {
        whenComplete((value, failure) -> begin()); // for completions that bypass the methods below, as by completeAsync
    }

    /** Does what the completion entails; called once, and never throws. */
    abstract void end();

    /** Whether the future is complete, or will be in a moment. */
    final boolean isEnding() {
        return begun.get() || isDone();
    }

    /**
     * Has a callback hand over what was acquired for this future. If somebody completes the future before, the acquired
     * lock is given back at once: the callback may run much later, or be queued behind callbacks that wait for the same
     * lock.
     *
     * @param hand completes this future, unless that has been done
     * @param giveBack never blocks and never throws
     */
    final void handOver(Events events, Runnable hand, Runnable giveBack) {
        AtomicBoolean taken = new AtomicBoolean();
        takeBack = once(taken, giveBack);
        if (isEnding()) {
            takeBack.run();
        } else {
            events.run(once(taken, hand));
        }
    }

    private static Runnable once(AtomicBoolean taken, Runnable what) {
        return () -> {
            if (taken.compareAndSet(false, true)) {
                what.run();
            }
        };
    }

    private boolean begin() {
        boolean first = begun.compareAndSet(false, true);
        if (first) {
            end();
            takeBack.run();
        }
        return first;
    }

    @Override
    public boolean complete(T value) {
        return begin() && super.complete(value);
    }

    @Override
    public boolean completeExceptionally(Throwable failure) {
        return begin() && super.completeExceptionally(failure);
    }

    @Override
    public boolean cancel(boolean mayInterrupt) {
        return (begin() && super.cancel(mayInterrupt)) || isCancelled();
    }

    /** Dependents of this future are ordinary futures. */
    @Override
    public <U> CompletableFuture<U> newIncompleteFuture() {
        return new CompletableFuture<>();
    }
}
