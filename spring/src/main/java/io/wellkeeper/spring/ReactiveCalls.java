package io.wellkeeper.spring;

import io.wellkeeper.Held;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.core.ReactiveAdapter;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.NoTransactionException;
import org.springframework.transaction.reactive.TransactionSynchronization;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Guards methods with reactive results: each subscription acquires, runs the method, and releases at its end. */
final class ReactiveCalls {

    private ReactiveCalls() {}

    static Object guard(ProxyMethodInvocation invocation, LockedMethod method, Set<String> names, Locks locks) {
        ReactiveAdapter adapter = Objects.requireNonNull(method.result().adapter());
        Subscriptions subscriptions = new Subscriptions(invocation, method, names, locks);
        Publisher<?> guarded = adapter.isMultiValue()
                ? Flux.usingWhen(
                        subscriptions.acquire(),
                        hold -> Flux.from(subscriptions.run(adapter, hold)),
                        Subscription::end,
                        (hold, thrown) -> hold.end().onErrorComplete(),
                        hold -> hold.end().onErrorComplete())
                : Mono.usingWhen(
                        subscriptions.acquire(),
                        hold -> Mono.from(subscriptions.run(adapter, hold)),
                        Subscription::end,
                        (hold, thrown) -> hold.end().onErrorComplete(),
                        hold -> hold.end().onErrorComplete());
        return adapter.fromPublisher(guarded);
    }

    /** What one subscription holds. */
    private record Subscription(Hold hold, @Nullable Overtime overtime) {

        Mono<Void> end() {
            return Mono.fromRunnable(() -> {
                if (overtime != null) {
                    overtime.end();
                }
                hold.letGo();
            });
        }
    }

    /** Those of one call. */
    private record Subscriptions(ProxyMethodInvocation invocation, LockedMethod method, Set<String> names, Locks locks) {

        Mono<Subscription> acquire() {
            return transaction()
                    .flatMap(current -> {
                        if (current.isPresent() && method.inTransaction() == InTransaction.FAIL) {
                            return Mono.error(new IllegalTransactionStateException(method
                                    + " acquires its lock within a transaction, which it is told not to"
                                    + " (inTransaction = FAIL)"));
                        }
                        return acquired().map(held -> begin(held, current));
                    })
                    .doOnDiscard(Subscription.class, unwanted -> unwanted.hold().letGo());
        }

        /** The transaction of the subscriber, if there is one. */
        private static Mono<Optional<TransactionSynchronizationManager>> transaction() {
            return TransactionSynchronizationManager.forCurrentTransaction()
                    .filter(one -> one.isActualTransactionActive() && one.isSynchronizationActive())
                    .map(Optional::of)
                    .onErrorResume(NoTransactionException.class, none -> Mono.empty())
                    .defaultIfEmpty(Optional.empty());
        }

        /** What is held; nobody who has gone away leaves it held. */
        private Mono<Held> acquired() {
            return Mono.<Held>create(sink -> {
                        CompletableFuture<?> acquiring = locks.acquireAsync(method, names);
                        sink.onCancel(() -> acquiring.cancel(true));
                        acquiring.whenComplete((value, thrown) -> {
                            Object held = value instanceof Optional<?> tried ? tried.orElse(null) : value;
                            if (thrown != null) {
                                sink.error(thrown);
                            } else if (held == null) {
                                sink.error(LockedInterceptor.notInTime(method, names));
                            } else {
                                sink.success((Held) held);
                            }
                        });
                    })
                    .doOnDiscard(Held.class, Held::close);
        }

        private Subscription begin(Held held, Optional<TransactionSynchronizationManager> transaction) {
            Hold hold = new Hold(held, locks.source(), method.mode(), names);
            hold.use();
            if (transaction.isPresent() && method.inTransaction() == InTransaction.RELEASE_AFTER_COMPLETION) {
                LockedInterceptor.warnOnce(method);
                hold.use();
                transaction.get().registerSynchronization(new UntilCompletion(hold));
            }
            Overtime overtime = method.maxHold()
                    .map(longest -> new Overtime(method, names, longest, null))
                    .orElse(null);
            return new Subscription(hold, overtime);
        }

        Publisher<?> run(ReactiveAdapter adapter, Subscription subscription) {
            @Nullable Object[] arguments = invocation.getArguments();
            if (method.wantsHeld()) {
                arguments = method.fill(arguments, BorrowedLock.of(method, names, Set.of(subscription.hold())));
            }
            MethodInvocation own = invocation.invocableClone(arguments);
            try {
                return adapter.toPublisher(own.proceed());
            } catch (Throwable thrown) {
                return Mono.error(thrown);
            }
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
