package io.wellkeeper.spring;

import io.wellkeeper.Held;
import io.wellkeeper.LockLostException;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.transaction.NoTransactionException;
import org.springframework.transaction.reactive.TransactionSynchronization;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * A call of a guarded method with a reactive result: each subscription acquires, runs the method, and releases at its
 * end.
 */
record ReactiveCalls(
        ProxyMethodInvocation invocation,
        ReactiveAdapter adapter,
        LockedMethod method,
        Set<String> names,
        Locks locks) {

    static Object guard(ProxyMethodInvocation invocation, LockedMethod method, Set<String> names, Locks locks) {
        ReactiveAdapter adapter = Objects.requireNonNull(method.result().adapter());
        return new ReactiveCalls(invocation, adapter, method, names, locks).guarded();
    }

    private Object guarded() {
        Mono<Subscription> subscription = Mono.fromSupplier(Subscription::new);
        Publisher<?> guarded = adapter.isMultiValue()
                ? Flux.usingWhen(
                        subscription,
                        own -> acquired(own).flatMapMany(hold -> run(own, hold)).doOnComplete(own::end),
                        Subscription::quietEnd,
                        (own, thrown) -> own.quietEnd(),
                        Subscription::quietEnd)
                : Mono.usingWhen(
                        subscription,
                        own -> acquired(own)
                                .flatMap(hold -> Mono.from(run(own, hold)))
                                .doOnSuccess(value -> own.end()),
                        Subscription::quietEnd,
                        (own, thrown) -> own.quietEnd(),
                        Subscription::quietEnd);
        return adapter.fromPublisher(guarded);
    }

    /**
     * Makes streams of the results of suspending functions, because Spring's proxies expect them from an interceptor.
     */
    static ReactiveAdapter adapter(boolean several) {
        return Objects.requireNonNull(
                ReactiveAdapterRegistry.getSharedInstance().getAdapter(several ? Flux.class : Mono.class));
    }

    /** The work under the lock, if its end is not that of the stream that the subscriber sees. */
    interface Work {

        /** The arguments for the call of the method. */
        default @Nullable Object[] arguments(@Nullable Object[] arguments) {
            return arguments;
        }

        /**
         * Called when the method has returned.
         *
         * @param value the result; null if the method has thrown an exception
         * @return the value to use instead
         */
        default @Nullable Object returned(@Nullable Object value) {
            return value;
        }

        /** Called when the result is not wanted any more, or the work has failed. */
        default void cancel() {}

        /** Runs an action when the work has ended in whatever way; at once if the work will not begin. */
        void whenOver(Runnable action);
    }

    /** For streams that end together with their work. */
    private static final Work NONE = Runnable::run;

    private Work work() {
        return switch (method.result().coroutine()) {
            case NONE -> NONE;
            case SUSPENDING, FLOW -> new Coroutines.Observed();
            case DEFERRED -> new Coroutines.Returned();
        };
    }

    /**
     * The hold of a subscription, and the work for which it is held.
     *
     * @param work the work under the lock
     * @param subscribed complete when the thread that calls the method has also subscribed to its result; until then it
     *     may begin work, even if the subscriber cancels meanwhile
     */
    private record Running(Hold hold, Work work, CompletableFuture<Void> subscribed) {

        void whenOver(Runnable action) {
            subscribed.thenRun(() -> work.whenOver(action));
        }
    }

    /** One subscription. At its end it releases its hold, and also a hold that it gets later. */
    private static final class Subscription {

        private static final Object ENDED = new Object();

        private final AtomicReference<@Nullable Object> held = new AtomicReference<>();
        private volatile @Nullable Overtime overtime;

        /** Takes a hold; false if the subscription has ended before: then the hold is not kept. */
        boolean take(Hold hold, @Nullable Overtime watched) {
            overtime = watched;
            hold.use();
            if (held.compareAndSet(null, hold)) {
                return true;
            }
            endWatch();
            hold.letGo();
            return false;
        }

        /** Begins the work; false if the subscription has ended before: then the work must not begin. */
        boolean begin(Running running) {
            return held.compareAndSet(running.hold, running);
        }

        private void endWatch() {
            Overtime watched = overtime;
            if (watched != null) {
                watched.end();
            }
        }

        /**
         * Ends the subscription, once.
         *
         * @throws LockLostException if the lock was lost
         */
        void end() {
            letGo(held.getAndSet(ENDED));
        }

        private void letGo(@Nullable Object had) {
            endWatch();
            if (had instanceof Running running) {
                running.hold.letGo();
            } else if (had instanceof Hold hold) {
                hold.letGo();
            }
        }

        /**
         * Ends the subscription without telling the subscriber of a loss, because it is told something else, or
         * nothing. Does so at once if no work has begun, else when the work is over.
         */
        Mono<Void> quietEnd() {
            return Mono.fromRunnable(() -> {
                Object had = held.getAndUpdate(now -> now instanceof Running ? now : ENDED);
                if (had instanceof Running running) {
                    running.work.cancel();
                    running.whenOver(() -> letGoQuietly(held.getAndSet(ENDED)));
                } else {
                    letGoQuietly(had);
                }
            });
        }

        private void letGoQuietly(@Nullable Object had) {
            try {
                letGo(had);
            } catch (LockLostException untold) {
                // the subscriber is told something else, or does not listen
            }
        }
    }

    /**
     * Acquires for a subscription; empty if the method is skipped. The next steps run on a thread made for them, and
     * not on the thread of the client's callbacks.
     */
    private Mono<Optional<Hold>> acquired(Subscription own) {
        return transaction().flatMap(transaction -> {
            if (transaction.isPresent() && method.inTransaction() == InTransaction.FAIL) {
                return Mono.error(LockedInterceptor.withinTransaction(method));
            }
            return Mono.<Optional<Hold>>create(sink -> {
                        CompletableFuture<?> acquiring = locks.acquireAsync(method, names);
                        sink.onCancel(() -> acquiring.cancel(true));
                        acquiring.whenComplete((value, thrown) -> {
                            Object held = value instanceof Optional<?> tried ? tried.orElse(null) : value;
                            if (thrown != null) {
                                sink.error(thrown);
                            } else if (held == null && method.skip()) {
                                sink.success(Optional.empty());
                            } else if (held == null) {
                                sink.error(LockedInterceptor.notInTime(method, names));
                            } else {
                                Hold hold = new Hold((Held) held, locks.source(method), method.mode(), names);
                                if (own.take(hold, Overtime.watch(method, names, null))) {
                                    transaction.ifPresent(outer -> keep(outer, hold));
                                    sink.success(Optional.of(hold));
                                }
                            }
                        });
                    })
                    .publishOn(Schedulers.parallel());
        });
    }

    /** The transaction of the subscriber, if there is one. */
    private static Mono<Optional<TransactionSynchronizationManager>> transaction() {
        return TransactionSynchronizationManager.forCurrentTransaction()
                .filter(one -> one.isActualTransactionActive() && one.isSynchronizationActive())
                .map(Optional::of)
                .onErrorResume(NoTransactionException.class, none -> Mono.empty())
                .defaultIfEmpty(Optional.empty());
    }

    private void keep(TransactionSynchronizationManager transaction, Hold hold) {
        if (method.inTransaction() == InTransaction.RELEASE_AFTER_COMPLETION) {
            LockedInterceptor.warnOnce(method);
            hold.use();
            transaction.registerSynchronization(new UntilCompletion(hold));
        }
    }

    private Publisher<?> run(Subscription own, Optional<Hold> acquired) {
        if (acquired.isEmpty()) {
            return Mono.justOrEmpty(method.result().skipped());
        }
        Hold hold = acquired.get();
        Work work = work();
        Running running = new Running(hold, work, new CompletableFuture<>());
        if (!own.begin(running)) {
            return Mono.empty();
        }
        Object result;
        try {
            @Nullable Object[] arguments = invocation.getArguments();
            if (method.wantsHeld()) {
                arguments = method.fill(arguments, BorrowedLock.of(method, names, Set.of(hold)));
            }
            result = invocation.invocableClone(work.arguments(arguments)).proceed();
        } catch (Throwable thrown) {
            work.returned(null);
            running.subscribed.complete(null);
            return Mono.error(thrown);
        }
        Publisher<?> stream = adapter.toPublisher(work.returned(result));
        if (stream instanceof Mono<?> one) {
            stream = one.doOnNext(method.result()::checkOver);
        }
        return telling(running.subscribed, stream);
    }

    private static <T> Publisher<T> telling(CompletableFuture<Void> subscribed, Publisher<T> stream) {
        Publisher<T> telling = subscriber -> {
            try {
                stream.subscribe(subscriber);
            } finally {
                subscribed.complete(null);
            }
        };
        return stream instanceof Mono ? Mono.fromDirect(telling) : telling;
    }

    /** Makes a reactive transaction a user of a hold. */
    private record UntilCompletion(Hold hold) implements TransactionSynchronization {

        @Override
        public Mono<Void> beforeCommit(boolean readOnly) {
            return Mono.fromRunnable(() -> hold.held().checkHeld());
        }

        @Override
        public Mono<Void> afterCompletion(int status) {
            return Mono.fromRunnable(hold::letGo);
        }
    }
}
