package io.wellkeeper.spring;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import java.util.stream.BaseStream;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.core.KotlinDetector;
import org.springframework.core.MethodParameter;
import org.springframework.core.Nullness;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.util.ClassUtils;

/** The kind of result of a guarded method, which decides for how long its lock is held. */
final class Result {

    private static final List<Class<?>> LATE =
            List.of(Future.class, CompletionStage.class, Flow.Publisher.class, BaseStream.class);
    /** Types that many classes implement in addition to their main purpose. */
    private static final List<Class<?>> LATE_ITSELF = List.of(Callable.class, Runnable.class, Supplier.class);
    /** Types by their names, because they may not be on the class path. */
    private static final List<String> LATE_NAMES = List.of(
            "org.reactivestreams.Publisher",
            "kotlinx.coroutines.Job",
            "kotlinx.coroutines.flow.Flow",
            "kotlin.sequences.Sequence",
            "org.springframework.web.context.request.async.DeferredResult",
            "org.springframework.web.context.request.async.WebAsyncTask",
            "org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter",
            "org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody");

    private static final String CONTINUATION = "kotlin.coroutines.Continuation";
    private static final String FLOW = "kotlinx.coroutines.flow.Flow";
    private static final String DEFERRED = "kotlinx.coroutines.Deferred";
    /** The classes with which Spring makes a stream of a coroutine, by their artifacts. */
    private static final Map<String, String> BRIDGES = Map.of(
            "org.jetbrains.kotlinx:kotlinx-coroutines-reactor", "kotlinx.coroutines.reactor.MonoKt",
            "org.jetbrains.kotlin:kotlin-reflect", "kotlin.reflect.full.KClasses");

    /** How the result belongs to a coroutine. */
    enum Coroutine {
        NONE,
        SUSPENDING,
        FLOW,
        DEFERRED
    }

    private final Class<?> type;
    private final @Nullable ReactiveAdapter adapter;
    private final Coroutine coroutine;
    private final boolean nullable;

    private Result(Class<?> type, @Nullable ReactiveAdapter adapter, Coroutine coroutine, boolean nullable) {
        this.type = type;
        this.adapter = adapter;
        this.coroutine = coroutine;
        this.nullable = nullable;
    }

    /**
     * The result of a method.
     *
     * @throws InvalidLockedMethodException if the result comes later, and there is no way to learn when it is complete
     */
    static Result of(Method method) {
        if (isSuspending(method)) {
            return ofSuspending(method);
        }
        Class<?> type = method.getReturnType();
        if (type == CompletionStage.class || type == CompletableFuture.class) {
            return new Result(type, null, Coroutine.NONE, false);
        }
        Coroutine coroutine = type.getName().equals(FLOW)
                ? Coroutine.FLOW
                : type.getName().equals(DEFERRED) ? Coroutine.DEFERRED : Coroutine.NONE;
        if (coroutine != Coroutine.NONE) {
            checkBridges(method, "returns a " + type.getTypeName());
        }
        ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(type);
        boolean reactive = adapter != null && adapter.getDescriptor().isDeferred();
        if (adapter != null && reactive && type.isAssignableFrom(adapter.getReactiveType())) {
            return new Result(type, adapter, coroutine, false);
        }
        if (reactive || isLate(type)) {
            throw late(
                    method, type, "return a CompletableFuture, or a type that Spring's ReactiveAdapterRegistry knows");
        }
        return new Result(type, null, Coroutine.NONE, false);
    }

    /** Whether a method looks like a suspending function of Kotlin: its last parameter is a continuation. */
    static boolean isSuspending(Method method) {
        int last = method.getParameterCount() - 1;
        return last >= 0 && isContinuation(method.getParameterTypes()[last]);
    }

    static boolean isContinuation(Class<?> type) {
        return type.getName().equals(CONTINUATION);
    }

    private static Result ofSuspending(Method method) {
        checkBridges(method, "is a suspending function");
        if (!KotlinDetector.isSuspendingFunction(method)) {
            throw new InvalidLockedMethodException(
                    method,
                    "it has the parameter of a suspending function, and is none, because Kotlin has not compiled it",
                    null);
        }
        Class<?> type = new MethodParameter(method, -1).getParameterType();
        boolean flow = type.getName().equals(FLOW);
        if (!flow
                && (isLate(type) || ReactiveAdapterRegistry.getSharedInstance().getAdapter(type) != null)) {
            throw late(method, type, "return what it results in, or a Flow");
        }
        boolean nullable = Nullness.forMethodReturnType(method) == Nullness.NULLABLE;
        return new Result(type, ReactiveCalls.adapter(flow), Coroutine.SUSPENDING, nullable && !flow);
    }

    private static void checkBridges(Method method, String what) {
        ClassLoader loader = Result.class.getClassLoader();
        String missing = BRIDGES.entrySet().stream()
                .filter(bridge -> !ClassUtils.isPresent(bridge.getValue(), loader))
                .map(Map.Entry::getKey)
                .sorted()
                .collect(Collectors.joining(" and "));
        if (!missing.isEmpty()) {
            throw new InvalidLockedMethodException(
                    method,
                    "it " + what + ", which Spring can await only with " + missing + " on the class path",
                    null);
        }
    }

    private static InvalidLockedMethodException late(Method method, Class<?> type, String remedy) {
        return new InvalidLockedMethodException(
                method,
                "it returns a " + type.getTypeName()
                        + ", whose work comes after the method, when the lock would have been released; " + remedy,
                null);
    }

    private static boolean isLate(Class<?> type) {
        if (LATE_ITSELF.contains(type) || LATE.stream().anyMatch(late -> late.isAssignableFrom(type))) {
            return true;
        }
        for (Class<?> above = type; above != null; above = above.getSuperclass()) {
            if (isLateByName(above)) {
                return true;
            }
        }
        return ClassUtils.getAllInterfacesForClassAsSet(type).stream().anyMatch(Result::isLateByName);
    }

    private static boolean isLateByName(Class<?> type) {
        return LATE_NAMES.contains(type.getName());
    }

    /** Makes streams of the result; null if the result is not reactive. */
    @Nullable
    ReactiveAdapter adapter() {
        return adapter;
    }

    Coroutine coroutine() {
        return coroutine;
    }

    boolean canBeSkipped() {
        return type == void.class
                || type == boolean.class
                || type == Boolean.class
                || type == Optional.class
                || nullable;
    }

    /** The result of a skipped call. */
    @Nullable
    Object skipped() {
        if (type == Optional.class) {
            return Optional.empty();
        }
        return type == boolean.class || type == Boolean.class ? (Object) false : null;
    }

    /**
     * The value as a stage that may not be complete yet.
     *
     * @return null if the call is over
     * @throws IllegalStateException if the value comes later, although the declaration does not say so
     */
    @Nullable
    CompletionStage<?> stage(@Nullable Object value) {
        if (value instanceof CompletionStage<?> stage && type.isAssignableFrom(CompletableFuture.class)) {
            return stage;
        }
        if (type == Object.class && value != null && isLateValue(value)) {
            throw late(value);
        }
        return null;
    }

    /**
     * Checks a value that ends a call.
     *
     * @throws IllegalStateException if the value comes later, although the declaration does not say so
     */
    void checkOver(Object value) {
        if (coroutine == Coroutine.SUSPENDING && type == Object.class && isLateValue(value)) {
            throw late(value);
        }
    }

    private static IllegalStateException late(Object value) {
        return new IllegalStateException("it returned a " + value.getClass().getTypeName()
                + ", whose work comes after the method, and does not declare it");
    }

    private static boolean isLateValue(Object value) {
        return isLate(value.getClass())
                || ReactiveAdapterRegistry.getSharedInstance().getAdapter(null, value) != null;
    }

    @Override
    public String toString() {
        return type.getTypeName();
    }
}
