package io.wellkeeper.storekit;

import io.wellkeeper.DistributedLock;
import io.wellkeeper.DistributedMultiLock;
import io.wellkeeper.LockClient;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Multi-locks that try their members one after another, as anybody would who had only single locks. */
final class WholeTimeForEach {

    private WholeTimeForEach() {}

    static DistributedMultiLock of(LockClient client, Method all, @Nullable Object[] names) throws Exception {
        return trying(client, (DistributedMultiLock) all.invoke(client, names), true);
    }

    /** Forgets to give back what it has when it cannot have the rest. */
    static DistributedMultiLock keepingAll(LockClient client, Method all, @Nullable Object[] names) throws Exception {
        return trying(client, (DistributedMultiLock) all.invoke(client, names), false);
    }

    private static DistributedMultiLock trying(LockClient client, DistributedMultiLock sound, boolean givesBack) {
        return (DistributedMultiLock) Proxy.newProxyInstance(
                DistributedMultiLock.class.getClassLoader(),
                new Class<?>[] {DistributedMultiLock.class},
                (self, method, arguments) -> {
                    if (method.getName().equals("tryLock") && arguments != null) {
                        return tryEach(client, sound.names(), (Long) arguments[0], (TimeUnit) arguments[1], givesBack);
                    }
                    try {
                        return method.invoke(sound, arguments);
                    } catch (InvocationTargetException failure) {
                        throw failure.getCause();
                    }
                });
    }

    private static boolean tryEach(LockClient client, List<String> names, long time, TimeUnit unit, boolean givesBack)
            throws InterruptedException {
        List<DistributedLock> held = new ArrayList<>();
        for (String name : names) {
            if (!client.lock(name).tryLock(time, unit)) {
                if (givesBack) {
                    held.forEach(DistributedLock::unlock);
                }
                return false;
            }
            held.add(client.lock(name));
        }
        return true;
    }
}
