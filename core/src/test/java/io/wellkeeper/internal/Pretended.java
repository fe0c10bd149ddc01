package io.wellkeeper.internal;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.function.Function;

/** Parts of a store of which a test needs a few answers alone. */
final class Pretended {

    private Pretended() {}

    /** One that answers by this whatever it is asked; only when it is asked for a text, it tells the name of the method. */
    static <T> T of(Class<T> type, Function<Method, Object> answer) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (self, method, arguments) ->
                        method.getReturnType() == String.class ? method.getName() : answer.apply(method)));
    }
}
