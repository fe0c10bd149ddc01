package io.wellkeeper.spring;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import java.util.stream.BaseStream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.util.ClassUtils;

/** What a guarded method returns, and so how long its lock is to be held. */
final class Result {

    private static final List<Class<?>> LATE =
            List.of(Future.class, CompletionStage.class, Flow.Publisher.class, BaseStream.class);
    /** What many classes implement beside what they are. */
    private static final List<Class<?>> LATE_ITSELF = List.of(Callable.class, Runnable.class, Supplier.class);
    /** By their names, because they may not be there. */
    private static final List<String> LATE_NAMES = List.of(
            "org.reactivestreams.Publisher",
            "kotlinx.coroutines.Job",
            "kotlinx.coroutines.flow.Flow",
            "kotlin.sequences.Sequence",
            "org.springframework.web.context.request.async.DeferredResult",
            "org.springframework.web.context.request.async.WebAsyncTask",
            "org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter",
            "org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody");

    private static final String SUSPENDING = "kotlin.coroutines.Continuation";

    private final Class<?> type;
    private final @Nullable ReactiveAdapter adapter;

    private Result(Class<?> type, @Nullable ReactiveAdapter adapter) {
        this.type = type;
        this.adapter = adapter;
    }

    /**
     * What a method returns.
     *
     * @throws InvalidLockedMethodException if it comes later in a way that tells nobody when it is complete
     */
    static Result of(Method method) {
        Class<?>[] parameters = method.getParameterTypes();
        if (parameters.length > 0 && parameters[parameters.length - 1].getName().equals(SUSPENDING)) {
            throw new InvalidLockedMethodException(
                    method,
                    "it is a suspending function, which goes on after it has returned; acquire the lock in it",
                    null);
        }
        Class<?> type = method.getReturnType();
        if (type == CompletionStage.class || type == CompletableFuture.class) {
            return new Result(type, null);
        }
        ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(type);
        if (adapter != null && adapter.getDescriptor().isDeferred()) {
            return new Result(type, adapter);
        }
        if (isLate(type)) {
            throw new InvalidLockedMethodException(
                    method,
                    "it returns a " + type.getTypeName()
                            + ", whose work comes after the method, when the lock would have been"
                            + " released; return a CompletableFuture, or a type that Spring's ReactiveAdapterRegistry knows",
                    null);
        }
        return new Result(type, null);
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

    /** Makes streams of it, if it is reactive. */
    @Nullable
    ReactiveAdapter adapter() {
        return adapter;
    }

    boolean canBeSkipped() {
        return type == void.class || type == boolean.class || type == Boolean.class || type == Optional.class;
    }

    /** What a call returns that has been skipped. */
    @Nullable
    Object skipped() {
        if (type == void.class) {
            return null;
        }
        return type == Optional.class ? Optional.empty() : (Object) false;
    }

    /**
     * The value as a stage that may still be completed.
     *
     * @return null if the call is over
     * @throws IllegalStateException if it comes later, which the declaration does not say
     */
    @Nullable
    CompletionStage<?> stage(@Nullable Object value) {
        if (value instanceof CompletionStage<?> stage && type.isAssignableFrom(CompletableFuture.class)) {
            return stage;
        }
        if (type == Object.class && value != null && isLateValue(value)) {
            throw new IllegalStateException("it returned a " + value.getClass().getTypeName()
                    + ", whose work comes after the method, and does not declare it");
        }
        return null;
    }

    private static boolean isLateValue(Object value) {
        return isLate(value.getClass())
                || ReactiveAdapterRegistry.getSharedInstance().getAdapter(null, value) != null;
    }
}
