package io.wellkeeper.internal;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A future that others may complete, too, such as the user who has it. Whoever it is, first comes what the end entails, and
 * then the end is known: what is attached to the future, or waits for it, finds that done.
 */
abstract class Ending<T extends @Nullable Object> extends CompletableFuture<T> {

    private final AtomicBoolean begun = new AtomicBoolean();
    private volatile Runnable takeBack = () -> {}; // what a callback that has not come yet is to hand over

    Ending() {
        whenComplete((value, failure) -> begin()); // if it comes in a way of its own, as by completeAsync
    }

    /** What the end entails; called once, and never throws. */
    abstract void end();

    /** Whether it is complete, or will be in a moment. */
    final boolean isEnding() {
        return begun.get() || isDone();
    }

    /**
     * Has a callback hand over what was acquired for this. If somebody completes it before, it is given back at once: the callback
     * may come much later, or be behind what waits for the same.
     *
     * @param hand completes this, unless that has been done
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

    /** What follows on it is an ordinary future. */
    @Override
    public <U> CompletableFuture<U> newIncompleteFuture() {
        return new CompletableFuture<>();
    }
}
