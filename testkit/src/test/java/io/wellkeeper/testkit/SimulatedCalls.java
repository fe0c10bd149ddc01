package io.wellkeeper.testkit;

import io.wellkeeper.Registration;
import io.wellkeeper.spi.LeaseStore;
import io.wellkeeper.spi.Session;
import io.wellkeeper.spi.TicketQueue;
import io.wellkeeper.spi.TicketStore;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Passes the calls of a client on to its store. The calling thread may be held up before and after each call, and it
 * must hold no monitor of the engine.
 */
final class SimulatedCalls implements InvocationHandler {

    private static final List<Class<?>> KINDS =
            List.of(TicketStore.class, Session.class, TicketQueue.class, Registration.class);

    private static final Set<String> DELICATE =
            Set.of("heartbeat", "onDeparture", "replace", "close", "renew", "onRelease");

    private final Object target;
    private final SimulatedProcess process;

    private SimulatedCalls(Object target, SimulatedProcess process) {
        this.target = target;
        this.process = process;
    }

    /** @param process whose connection this is */
    static TicketStore of(TicketStore store, SimulatedProcess process) {
        return (TicketStore) wrap(TicketStore.class, store, process);
    }

    /** @param process whose connection this is */
    static LeaseStore of(LeaseStore store, SimulatedProcess process) {
        return (LeaseStore) wrap(LeaseStore.class, store, process);
    }

    private static Object wrap(Class<?> kind, Object target, SimulatedProcess process) {
        return Proxy.newProxyInstance(
                SimulatedCalls.class.getClassLoader(), new Class<?>[] {kind}, new SimulatedCalls(target, process));
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
        if (!sends(method)) {
            process.mustHoldNoMonitor(method.getName());
            Object result = result(method, arguments);
            return result == target ? proxy : wrapped(result);
        }
        boolean delicate = DELICATE.contains(method.getName());
        process.callOut(method.getName(), delicate);
        Object result = result(method, arguments);
        process.moment(delicate);
        return wrapped(result);
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
                return wrap(kind, result, process);
            }
        }
        return result;
    }
}
