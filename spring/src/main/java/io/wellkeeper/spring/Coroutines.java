package io.wellkeeper.spring;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import kotlin.Unit;
import kotlin.coroutines.AbstractCoroutineContextElement;
import kotlin.coroutines.Continuation;
import kotlin.coroutines.CoroutineContext;
import kotlinx.coroutines.Deferred;
import kotlinx.coroutines.Job;
import kotlinx.coroutines.ThreadContextElement;
import kotlinx.coroutines.flow.Flow;
import kotlinx.coroutines.flow.FlowKt;
import org.jspecify.annotations.Nullable;

/**
 * The work of coroutines. A cancelled coroutine goes on until it notices the cancellation, and then cleans up. A
 * subscriber that cancels, as Spring's proxies do for a cancelled caller, does not wait for that end.
 */
final class Coroutines {

    private Coroutines() {}

    /**
     * A call of a suspending function, or the collection of a flow. It learns its job by an element in the context in
     * which Spring runs the function or the flow.
     */
    static final class Observed extends AbstractCoroutineContextElement
            implements ThreadContextElement<Unit>, ReactiveCalls.Work {

        private static final CoroutineContext.Key<Observed> KEY = new CoroutineContext.Key<>() {};

        private final AtomicReference<@Nullable Job> job = new AtomicReference<>();

        Observed() {
            super(KEY);
        }

        /** The arguments, with a continuation that makes the function run as this work. */
        @Override
        public @Nullable Object[] arguments(@Nullable Object[] arguments) {
            @Nullable Object[] observed = arguments.clone();
            int last = observed.length - 1;
            if (observed[last] instanceof Continuation<?> caller) {
                observed[last] = new Continuation<Object>() {
                    @Override
                    public CoroutineContext getContext() {
                        return caller.getContext().plus(Observed.this);
                    }

                    @Override
                    public void resumeWith(Object result) {
                        caller.resumeWith(result);
                    }
                };
            }
            return observed;
        }

        @Override
        public @Nullable Object returned(@Nullable Object value) {
            return value instanceof Flow<?> flow ? FlowKt.flowOn(flow, this) : value;
        }

        @Override
        public Unit updateThreadContext(CoroutineContext context) {
            Job known = job.get();
            if (known == null || known.isCompleted()) { // so it is not a job that the function itself has started
                job.compareAndSet(known, context.get(Job.Key));
            }
            return Unit.INSTANCE;
        }

        @Override
        public void restoreThreadContext(CoroutineContext context, Unit before) {}

        /** Runs the action at once if the coroutine has not begun: one that is cancelled before never begins. */
        @Override
        public void whenOver(Runnable action) {
            Job begun = job.get();
            if (begun == null) {
                action.run();
            } else {
                Coroutines.whenOver(begun, action);
            }
        }
    }

    /** A call that returns a {@link Deferred}. */
    static final class Returned implements ReactiveCalls.Work {

        private final CompletableFuture<@Nullable Deferred<?>> returned = new CompletableFuture<>();

        @Override
        public @Nullable Object returned(@Nullable Object value) {
            returned.complete((Deferred<?>) value);
            return value;
        }

        @Override
        public void cancel() {
            returned.thenAccept(deferred -> {
                if (deferred != null) {
                    deferred.cancel(null);
                }
            });
        }

        @Override
        public void whenOver(Runnable action) {
            returned.thenAccept(deferred -> {
                if (deferred == null) {
                    action.run();
                } else {
                    Coroutines.whenOver(deferred, action);
                }
            });
        }
    }

    private static void whenOver(Job job, Runnable action) {
        job.invokeOnCompletion(thrown -> {
            action.run();
            return Unit.INSTANCE;
        });
    }
}
