package io.wellkeeper.spring;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.stream.Collectors;

/** How methods are called in messages. */
final class MethodNames {

    private MethodNames() {}

    /** Such as {@code com.shop.Orders.ship(long)}; as it is written, of suspending functions too. */
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
