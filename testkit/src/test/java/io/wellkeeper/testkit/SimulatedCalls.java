package io.wellkeeper.testkit;

import io.wellkeeper.Registration;
import io.wellkeeper.internal.Monitor;
import io.wellkeeper.spi.Session;
import io.wellkeeper.spi.TicketQueue;
import io.wellkeeper.spi.TicketStore;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The calls of a client to its store: at each of them the calling thread may be held up, before and after, and it must
 * hold no monitor of the engine's.
 */
final class SimulatedCalls implements InvocationHandler {

    private static final List<Class<?>> KINDS =
            List.of(TicketStore.class, Session.class, TicketQueue.class, Registration.class);

    private final Object target;
    private final Preemption preemption;
    private final Consumer<String> wrong;

    private SimulatedCalls(Object target, Preemption preemption, Consumer<String> wrong) {
        this.target = target;
        this.preemption = preemption;
        this.wrong = wrong;
    }

    /** @param wrong told what calls are not allowed */
    static TicketStore of(TicketStore store, Preemption preemption, Consumer<String> wrong) {
        return (TicketStore) wrap(TicketStore.class, store, preemption, wrong);
    }

    private static Object wrap(Class<?> kind, Object target, Preemption preemption, Consumer<String> wrong) {
        return Proxy.newProxyInstance(
                SimulatedCalls.class.getClassLoader(),
                new Class<?>[] {kind},
                new SimulatedCalls(target, preemption, wrong));
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments) throws Throwable {
        return switch (method.getName()) {
            case "equals" -> arguments != null && proxy == arguments[0];
            case "hashCode" -> System.identityHashCode(proxy);
            default -> call(proxy, method, arguments);
        };
    }

    private @Nullable Object call(Object proxy, Method method, Object @Nullable [] arguments) throws Throwable {
        boolean sends = sends(method);
        if (sends) {
            if (!Monitor.noneHeld()) {
                wrong.accept(method.getName() + " is called under a monitor");
            }
            preemption.moment();
        }
        Object result = result(method, arguments);
        if (sends) {
            preemption.moment();
        }
        return result == target ? proxy : wrapped(result);
    }

    private @Nullable Object result(Method method, Object @Nullable [] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException failed) {
            throw failed.getCause();
        }
    }

    private static boolean sends(Method method) {
        return method.getName().equals("close")
                || method.getReturnType() == CompletionStage.class
                || method.getReturnType() == Registration.class;
    }

    private @Nullable Object wrapped(@Nullable Object result) {
        if (result instanceof CompletionStage<?> stage) {
            return target instanceof TicketStore ? stage.thenApply(this::wrapped) : stage;
        }
        for (Class<?> kind : KINDS) {
            if (kind.isInstance(result)) {
                return wrap(kind, result, preemption, wrong);
            }
        }
        return result;
    }
}
