package io.wellkeeper.storekit;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.DistributedBarrier;
import io.wellkeeper.DistributedCondition;
import io.wellkeeper.DistributedLatch;
import io.wellkeeper.DistributedLock;
import io.wellkeeper.DistributedMultiLock;
import io.wellkeeper.DistributedReadWriteLock;
import io.wellkeeper.DistributedSemaphore;
import io.wellkeeper.LeaderElection;
import io.wellkeeper.LockAdmin;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockSource;
import io.wellkeeper.Permits;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Clients whose locks, semaphores and so on are sound but for one method. */
final class BrokenLocks<T> extends InMemoryLockFixture {

    private static final List<Class<?>> FACES = List.of(
            LockClient.class,
            DistributedLock.class,
            DistributedReadWriteLock.class,
            DistributedSemaphore.class,
            DistributedMultiLock.class,
            DistributedLatch.class,
            DistributedBarrier.class,
            LeaderElection.class,
            LockHandle.class,
            Permits.class,
            LockAdmin.class,
            DistributedCondition.class);

    /**
     * What a broken thing does instead of one method.
     *
     * @param <T> the thing
     */
    interface Bug<T> {
        @Nullable
        Object call(T sound, Method method, @Nullable Object[] arguments) throws Exception;
    }

    private final Class<T> face;
    private final String broken;
    private final Bug<T> bug;
    private final Map<Object, Object> sound = new ConcurrentHashMap<>(); // by what stands for it

    /**
     * @param face what is broken
     * @param broken name of the method
     */
    BrokenLocks(Class<T> face, String broken, Bug<T> bug) {
        this.face = face;
        this.broken = broken;
        this.bug = bug;
    }

    /** Clients of whose locks nothing is broken, to show that it is not the standing in that fails. */
    static LockFixture unbroken() {
        return new BrokenLocks<>(LockClient.class, "nothing", (client, method, arguments) -> null);
    }

    @Override
    public LockSource newClient(ClientOptions options) {
        return (LockSource) standIn(LockClient.class, super.newClient(options));
    }

    private Object standIn(Class<?> type, Object target) {
        Object made = Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (self, method, given) -> switch (method.getName()) {
                    case "equals" -> self == given[0];
                    case "hashCode" -> System.identityHashCode(self);
                    default -> call(type, target, method, given);
                });
        sound.put(made, target);
        return made;
    }

    private @Nullable Object call(Class<?> type, Object target, Method method, @Nullable Object @Nullable [] given)
            throws Exception {
        @Nullable Object[] arguments = given == null ? new Object[0] : given;
        Object result = type == face && method.getName().equals(broken)
                ? bug.call(face.cast(target), method, arguments)
                : invoke(method, target, arguments);
        for (Class<?> other : FACES) {
            if (result != null && method.getReturnType() == other) {
                return standIn(other, result);
            }
        }
        return result;
    }

    private @Nullable Object invoke(Method method, Object target, @Nullable Object[] given) throws Exception {
        @Nullable Object[] arguments = given.clone();
        for (int i = 0; i < arguments.length; i++) {
            if (arguments[i] instanceof List<?> locks) {
                arguments[i] = locks.stream()
                        .map(lock -> sound.getOrDefault(lock, lock))
                        .toList();
            } else if (arguments[i] != null) {
                arguments[i] = sound.getOrDefault(arguments[i], arguments[i]);
            }
        }
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException failure) {
            if (failure.getCause() instanceof Exception cause) {
                throw cause;
            }
            throw failure;
        }
    }

    private LockSource sound(LockSource client) {
        return (LockSource) sound.getOrDefault(client, client);
    }

    @Override
    public void lose(LockSource client) {
        super.lose(sound(client));
    }

    @Override
    public void cut(LockSource client) {
        super.cut(sound(client));
    }

    @Override
    public void mend(LockSource client) {
        super.mend(sound(client));
    }
}
