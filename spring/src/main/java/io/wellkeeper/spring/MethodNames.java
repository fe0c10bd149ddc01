package io.wellkeeper.spring;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.stream.Collectors;

/** The names of methods in messages. */
final class MethodNames {

    private MethodNames() {}

    /** Such as {@code com.shop.Orders.ship(long)}; suspending functions too have the parameters as in the source. */
    static String full(Method method) {
        int parameters = method.getParameterCount() - (Result.isSuspending(method) ? 1 : 0);
        return method.getDeclaringClass().getName()
                + '.'
                + method.getName()
                + Arrays.stream(method.getParameterTypes())
                        .limit(parameters)
                        .map(Class::getSimpleName)
                        .collect(Collectors.joining(", ", "(", ")"));
    }

    /** Such as {@code Orders.ship}. */
    static String brief(Method method) {
        return method.getDeclaringClass().getSimpleName() + '.' + method.getName();
    }
}
