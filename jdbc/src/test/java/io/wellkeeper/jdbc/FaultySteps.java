package io.wellkeeper.jdbc;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.SQLException;
import java.util.Optional;

/** A dialect whose steps fail as a test wants it. */
final class FaultySteps {

    private FaultySteps() {}

    /** Has a step carried out, or not. */
    interface Fault {
        Object run(Step step, Work real) throws SQLException;
    }

    /** What the step does. */
    interface Work {
        Object run() throws SQLException;
    }

    static Dialect of(Dialect real, Fault fault) {
        return proxy(Dialect.class, (unused, method, arguments) -> {
            Object result = invoke(real, method, arguments);
            return result instanceof Steps steps ? of(steps, fault) : result;
        });
    }

    /** A dialect whose messages do not arrive. */
    static Dialect deaf(Dialect real) {
        return proxy(Dialect.class, (unused, method, arguments) -> {
            Object result = invoke(real, method, arguments);
            return result instanceof Dialect.Doorbell bell ? deaf(bell) : result;
        });
    }

    private static Dialect.Doorbell deaf(Dialect.Doorbell bell) {
        return patience -> {
            bell.await(patience);
            return Optional.empty();
        };
    }

    private static Steps of(Steps real, Fault fault) {
        return proxy(
                Steps.class,
                (unused, method, arguments) -> method.getName().equals("run")
                        ? fault.run((Step) arguments[1], () -> invoke(real, method, arguments))
                        : invoke(real, method, arguments));
    }

    /** An object of this type that hands all calls to a handler. */
    static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    /** Calls a method of the real object; fails as that does. */
    static Object invoke(Object on, Method method, Object[] arguments) throws SQLException {
        try {
            return method.invoke(on, arguments);
        } catch (InvocationTargetException thrown) {
            if (thrown.getCause() instanceof SQLException failure) {
                throw failure;
            }
            throw new IllegalStateException(thrown.getCause());
        } catch (IllegalAccessException never) {
            throw new IllegalStateException(never);
        }
    }
}
