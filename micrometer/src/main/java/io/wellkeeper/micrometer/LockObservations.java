package io.wellkeeper.micrometer;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.wellkeeper.DistributedLock;
import io.wellkeeper.DistributedMultiLock;
import io.wellkeeper.DistributedReadWriteLock;
import io.wellkeeper.DistributedSemaphore;
import io.wellkeeper.LeaseClient;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockLostException;
import io.wellkeeper.LockSource;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Observes each call that wants a lock, so that traces show how long a request has waited for which lock. It wraps a
 * client, and the result is used like the client: its locks, read-write locks, semaphores and multi-locks are observed
 * too.
 *
 * <pre>{@code
 * LockClient client = new LockObservations(observations).observe(LockClient.connect(uri));
 * }</pre>
 *
 * <p>An observation begins and ends on the thread of the caller, and is the current observation while that thread
 * waits. If the call returns a future, the observation ends with the future. It is described by {@link LockConvention},
 * and its context is a {@link LockContext}. The time after the acquisition is not observed, nor are elections,
 * conditions, barriers and latches.
 *
 * <p>An exception of a handler is logged and costs no lock.
 */
public final class LockObservations {

    private static final Logger LOG = LoggerFactory.getLogger("io.wellkeeper");
    private static final LockConvention CONVENTION = new LockConvention();
    private static final Set<String> OF_A_LOCK = Set.of("lock", "lockInterruptibly", "tryLock");

    private final ObservationRegistry registry;
    private final LockGroups groups;

    /**
     * Uses groups of its own.
     *
     * @param registry the registry of the observations
     */
    public LockObservations(ObservationRegistry registry) {
        this(registry, new LockGroups());
    }

    /**
     * @param registry the registry of the observations
     * @param groups the groups; they may be shared with {@link LockMetrics}
     */
    public LockObservations(ObservationRegistry registry, LockGroups groups) {
        this.registry = registry;
        this.groups = groups;
    }

    /**
     * {@return the client, observed; closing it closes the client}
     *
     * @param client the client; each call that wants one of its locks is observed
     */
    public LockClient observe(LockClient client) {
        return observed(LockClient.class, new Observed(client, "lock", List.of()));
    }

    /**
     * {@return the client, observed; closing it closes the client}
     *
     * @param client the client; each call that wants one of its locks is observed
     */
    public LeaseClient observe(LeaseClient client) {
        return observed(LeaseClient.class, new Observed(client, "lock", List.of()));
    }

    private static <T> T observed(Class<T> type, Observed by) {
        return type.cast(Proxy.newProxyInstance(LockObservations.class.getClassLoader(), new Class<?>[] {type}, by));
    }

    /** Passes each call on to an object of the client, and observes the calls that want a lock. */
    private final class Observed implements InvocationHandler {

        private final Object target;
        private final String mode;
        private final List<String> names; // of the locks; empty for a client

        Observed(Object target, String mode, List<String> names) {
            this.target = target;
            this.mode = mode;
            this.names = names;
        }

        @Override
        public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments) throws Throwable {
            Object[] own = arguments == null ? new Object[0] : unwrapped(arguments);
            if (method.getName().equals("equals") && own.length == 1) {
                return target.equals(own[0]);
            }
            if (method.getName().equals("withLockAsync")) {
                return InvocationHandler.invokeDefault(proxy, method, own); // the default method acquires by the proxy
            }
            if (!acquires(method)) {
                return wrapped(method, call(method, own));
            }
            return target instanceof LockSource
                    ? observe(List.of((String) own[0]), "lease", method, own)
                    : observe(names, mode, method, own);
        }

        private @Nullable Object call(Method method, Object[] arguments) throws Throwable {
            try {
                return method.invoke(target, arguments);
            } catch (InvocationTargetException thrown) {
                throw thrown.getCause();
            }
        }

        private boolean acquires(Method method) {
            String name = method.getName();
            return name.startsWith("acquire")
                    || name.startsWith("tryAcquire")
                    || name.equals("drainPermits")
                    || OF_A_LOCK.contains(name) && !(target instanceof LockSource);
        }

        private @Nullable Object wrapped(Method method, @Nullable Object result) {
            if (result instanceof DistributedReadWriteLock lock) {
                return observed(DistributedReadWriteLock.class, new Observed(lock, "write", List.of(lock.name())));
            } else if (result instanceof DistributedLock lock) {
                String what = method.getName().replaceFirst("Lock$", ""); // lock, read or write
                return observed(DistributedLock.class, new Observed(lock, what, List.of(lock.name())));
            } else if (result instanceof DistributedSemaphore semaphore) {
                return observed(
                        DistributedSemaphore.class, new Observed(semaphore, "permits", List.of(semaphore.name())));
            } else if (result instanceof DistributedMultiLock all) {
                return observed(DistributedMultiLock.class, new Observed(all, "all", all.names()));
            } else {
                return result;
            }
        }

        private @Nullable Object observe(List<String> names, String mode, Method method, Object[] arguments)
                throws Throwable {
            LockContext context = new LockContext(names, group(names), mode);
            Observation observation = begin(context);
            Object result;
            try {
                result = callInScope(observation, method, arguments);
            } catch (Throwable failure) {
                end(observation, context, failure);
                throw failure;
            }
            if (result instanceof CompletableFuture<?> future) {
                future.whenComplete((given, failure) -> {
                    if (failure == null) {
                        end(observation, context, given, arguments);
                    } else {
                        end(observation, context, own(failure));
                    }
                });
            } else {
                end(observation, context, result, arguments);
            }
            return result;
        }

        /** Runs with the observation as the current one of this thread, and restores the previous one afterwards. */
        private @Nullable Object callInScope(Observation observation, Method method, Object[] arguments)
                throws Throwable {
            Observation.@Nullable Scope before = registry.getCurrentObservationScope();
            quietly(observation::openScope);
            Observation.@Nullable Scope opened = registry.getCurrentObservationScope(); // even if a handler has thrown
            try {
                return call(method, arguments);
            } finally {
                if (opened != null && opened != before) {
                    quietly(opened::close);
                    registry.setCurrentObservationScope(before);
                }
            }
        }
    }

    private String group(List<String> names) {
        try {
            List<String> all = names.stream().map(groups::of).distinct().toList();
            return all.size() == 1 ? all.get(0) : LockGroups.OTHER;
        } catch (RuntimeException thrown) {
            LOG.warn("the groups of {} are not known", names, thrown);
            return LockGroups.OTHER;
        }
    }

    private Observation begin(LockContext context) {
        Observation observation;
        try {
            observation = Observation.createNotStarted(null, CONVENTION, () -> context, registry);
        } catch (RuntimeException thrown) {
            LOG.warn("an observation has thrown", thrown);
            return Observation.NOOP;
        }
        quietly(observation::start);
        return observation;
    }

    private static void end(Observation observation, LockContext context, Throwable failure) {
        if (failure instanceof InterruptedException) {
            context.outcome("interrupted");
        } else if (failure instanceof CancellationException) {
            context.outcome("cancelled");
        } else {
            context.outcome(failure instanceof LockLostException ? "lost" : "error");
            quietly(() -> observation.error(failure));
        }
        quietly(observation::stop);
    }

    private static void end(Observation observation, LockContext context, @Nullable Object result, Object[] arguments) {
        if (!Boolean.FALSE.equals(result) && !Optional.empty().equals(result)) {
            context.outcome("acquired");
        } else {
            long times = Arrays.stream(arguments)
                    .filter(one -> one instanceof Duration || one instanceof TimeUnit)
                    .count();
            boolean waits = times > (context.mode().equals("lease") ? 1 : 0); // a lease has a length
            context.outcome(waits ? "timeout" : "busy");
        }
        quietly(observation::stop);
    }

    /** The failure of a future, without the exceptions in which dependent futures have wrapped it. */
    private static Throwable own(Throwable failure) {
        Throwable cause = failure.getCause();
        return failure instanceof CompletionException && cause != null ? cause : failure;
    }

    private static void quietly(Runnable telemetry) {
        try {
            telemetry.run();
        } catch (RuntimeException thrown) {
            LOG.warn("an observation has thrown", thrown);
        }
    }

    /** The client's own objects in place of their observing proxies, as {@link LockClient#all(List)} needs them. */
    private static Object[] unwrapped(Object[] arguments) {
        return Arrays.stream(arguments)
                .map(one -> one instanceof List<?> list
                        ? list.stream().map(LockObservations::unwrapped).toList()
                        : unwrapped(one))
                .toArray();
    }

    private static Object unwrapped(Object one) {
        return Proxy.isProxyClass(one.getClass()) && Proxy.getInvocationHandler(one) instanceof Observed by
                ? by.target
                : one;
    }
}
