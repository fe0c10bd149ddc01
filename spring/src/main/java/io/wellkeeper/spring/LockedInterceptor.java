package io.wellkeeper.spring;

import io.wellkeeper.Held;
import io.wellkeeper.LockSource;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.transaction.IllegalTransactionStateException;

/** Runs guarded methods under their locks. */
final class LockedInterceptor implements MethodInterceptor {

    private static final Logger LOG = LoggerFactory.getLogger(LockedInterceptor.class);

    private final LockedMethods methods;
    private final Locks locks;

    LockedInterceptor(LockedMethods methods, Locks locks) {
        this.methods = methods;
        this.locks = locks;
    }

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        LockedMethod method = methods.find(invocation);
        if (method == null) {
            return invocation.proceed();
        }
        ProxyMethodInvocation call = (ProxyMethodInvocation) invocation;
        Set<String> names = method.names(invocation.getArguments());
        if (method.result().adapter() != null) {
            return ReactiveCalls.guard(call, method, names, locks);
        }
        ThreadHolds mine = ThreadHolds.get();
        try {
            return guard(call, method, names, mine);
        } finally {
            mine.tidy();
        }
    }

    private @Nullable Object guard(
            ProxyMethodInvocation invocation, LockedMethod method, Set<String> names, ThreadHolds mine)
            throws Throwable {
        LockSource source = locks.source(method);
        boolean inTransaction = Transactions.isActive() && !Transactions.leavesOuter(method, invocation);
        Set<Hold> holds = mine.covering(source, method, names);
        if (holds.isEmpty()) {
            if (inTransaction) {
                checkTransaction(method);
            }
            Optional<? extends Held> held = acquire(method, names);
            if (held.isEmpty()) {
                return busy(method, names);
            }
            holds = Set.of(new Hold(held.get(), source, method.mode(), names));
        } else {
            holds.forEach(hold -> hold.held().checkHeld());
        }
        holds.forEach(mine::use);
        return run(invocation, method, names, mine, holds, inTransaction);
    }

    private @Nullable Object run(
            ProxyMethodInvocation invocation,
            LockedMethod method,
            Set<String> names,
            ThreadHolds mine,
            Set<Hold> holds,
            boolean inTransaction)
            throws Throwable {
        Overtime overtime = Overtime.watch(method, names, Thread.currentThread());
        ThreadHolds.Call call = mine.enter(method, names, holds);
        Object value = null;
        Throwable failure = null;
        CompletionStage<?> stage = null;
        try {
            if (inTransaction && method.inTransaction() == InTransaction.RELEASE_AFTER_COMPLETION) {
                Transactions.keep(mine, holds);
            }
            if (method.wantsHeld()) {
                invocation.setArguments(method.fill(invocation.getArguments(), call.borrowed()));
            }
            value = invocation.proceed();
            stage = method.result().stage(value);
            if (stage != null) {
                value = keepUntilComplete(stage, holds, overtime);
            }
        } catch (Throwable thrown) {
            failure = thrown;
        }
        mine.leave(call);
        if (overtime != null) {
            overtime.leave();
            if (stage == null) {
                overtime.end();
            }
        }
        for (Hold hold : holds) {
            try {
                mine.letGo(hold);
            } catch (RuntimeException lost) {
                failure = join(failure, lost);
            }
        }
        if (failure != null) {
            throw failure;
        }
        return value;
    }

    static Throwable join(@Nullable Throwable first, Throwable second) {
        if (first == null) {
            return second;
        }
        if (first != second) {
            first.addSuppressed(second);
        }
        return first;
    }

    private static void checkTransaction(LockedMethod method) {
        switch (method.inTransaction()) {
            case FAIL -> throw withinTransaction(method);
            case RELEASE_AFTER_COMPLETION, DEFAULT -> warnOnce(method);
            case ALLOW -> {}
        }
    }

    static IllegalTransactionStateException withinTransaction(LockedMethod method) {
        return new IllegalTransactionStateException(
                method + " is called within a transaction, and must not acquire its lock there (inTransaction = FAIL)");
    }

    static void warnOnce(LockedMethod method) {
        if (method.firstWarning()) {
            LOG.warn(
                    "{} acquires its lock within a transaction that began before. The lock is held until that transaction has"
                            + " ended, but what the transaction has read before, and, under snapshot isolation, what it"
                            + " reads from now on, may be older than what the last holder wrote. Begin the transaction"
                            + " under the lock, or set inTransaction. (Told once for each method.)",
                    method);
        }
    }

    private Optional<? extends Held> acquire(LockedMethod method, Set<String> names) {
        try {
            return locks.acquire(method, names);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new LockNotAcquiredException(
                    method + " did not acquire " + names + ": its thread was interrupted", names, interrupted);
        }
    }

    private static @Nullable Object busy(LockedMethod method, Set<String> names) {
        if (method.skip()) {
            return method.result().skipped();
        }
        throw notInTime(method, names);
    }

    static LockNotAcquiredException notInTime(LockedMethod method, Set<String> names) {
        return new LockNotAcquiredException(
                method + " did not acquire " + names + " within " + method.waitFor(), names, null);
    }

    private static CompletableFuture<?> keepUntilComplete(
            CompletionStage<?> stage, Set<Hold> holds, @Nullable Overtime overtime) {
        CompletableFuture<@Nullable Object> result = new CompletableFuture<>() {
            @Override
            public boolean cancel(boolean mayInterrupt) { // the work first, as later stages may want the same lock
                if (stage instanceof Future<?> work) {
                    work.cancel(true);
                }
                return super.cancel(mayInterrupt);
            }
        };
        holds.forEach(Hold::use);
        stage.whenComplete((value, thrown) -> {
            if (overtime != null) {
                overtime.end();
            }
            Throwable failure = thrown;
            for (Hold hold : holds) {
                try {
                    hold.letGo();
                } catch (RuntimeException lost) {
                    failure = join(failure, lost);
                }
            }
            if (failure == null) {
                result.complete(value);
            } else {
                result.completeExceptionally(failure);
            }
        });
        return result;
    }
}
