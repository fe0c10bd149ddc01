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
import org.springframework.transaction.NoTransactionException;
import org.springframework.transaction.reactive.TransactionSynchronization;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** One call of a guarded method with a reactive result: each subscription acquires, runs the method, and releases at its end. */
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
                        own -> acquired(own).flatMapMany(this::run).doOnComplete(own::end),
                        Subscription::quietEnd,
                        (own, thrown) -> own.quietEnd(),
                        Subscription::quietEnd)
                : Mono.usingWhen(
                        subscription,
                        own -> acquired(own)
                                .flatMap(hold -> Mono.from(run(hold)))
                                .doOnSuccess(value -> own.end()),
                        Subscription::quietEnd,
                        (own, thrown) -> own.quietEnd(),
                        Subscription::quietEnd);
        return adapter.fromPublisher(guarded);
    }

    /** What one subscription holds; at its end, it gives up what it has, and what it still gets. */
    private static final class Subscription {

        private static final Object ENDED = new Object();

        private final AtomicReference<@Nullable Object> held = new AtomicReference<>();
        private volatile @Nullable Overtime overtime;

        /** Whether it has not ended before; otherwise nobody keeps what was acquired. */
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

        private void endWatch() {
            Overtime watched = overtime;
            if (watched != null) {
                watched.end();
            }
        }

        /**
         * Ends it, once.
         *
         * @throws LockLostException if the lock was lost
         */
        void end() {
            endWatch();
            if (held.getAndSet(ENDED) instanceof Hold hold) {
                hold.letGo();
            }
        }

        /** Ends it where the subscriber is told something else, or nothing. */
        Mono<Void> quietEnd() {
            return Mono.<Void>fromRunnable(this::end).onErrorComplete(LockLostException.class);
        }
    }

    /** What a subscription has acquired; what follows runs on a thread made for it, and not on that of the client's callbacks. */
    private Mono<Hold> acquired(Subscription own) {
        return transaction().flatMap(transaction -> {
            if (transaction.isPresent() && method.inTransaction() == InTransaction.FAIL) {
                return Mono.error(LockedInterceptor.withinTransaction(method));
            }
            return Mono.<Hold>create(sink -> {
                        CompletableFuture<?> acquiring = locks.acquireAsync(method, names);
                        sink.onCancel(() -> acquiring.cancel(true));
                        acquiring.whenComplete((value, thrown) -> {
                            Object held = value instanceof Optional<?> tried ? tried.orElse(null) : value;
                            if (thrown != null) {
                                sink.error(thrown);
                            } else if (held == null) {
                                sink.error(LockedInterceptor.notInTime(method, names));
                            } else {
                                Hold hold = new Hold((Held) held, locks.source(method), method.mode(), names);
                                if (own.take(hold, Overtime.watch(method, names, null))) {
                                    transaction.ifPresent(outer -> keep(outer, hold));
                                    sink.success(hold);
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

    private Publisher<?> run(Hold hold) {
        @Nullable Object[] arguments = invocation.getArguments();
        if (method.wantsHeld()) {
            arguments = method.fill(arguments, BorrowedLock.of(method, names, Set.of(hold)));
        }
        try {
            Object result = invocation.invocableClone(arguments).proceed();
            return adapter.toPublisher(result);
        } catch (Throwable thrown) {
            return Mono.error(thrown);
        }
    }

    /** Has a reactive transaction use what is held. */
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
