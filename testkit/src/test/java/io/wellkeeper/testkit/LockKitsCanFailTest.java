package io.wellkeeper.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.DistributedLock;
import io.wellkeeper.LockClient;
import io.wellkeeper.Registration;
import io.wellkeeper.SimpleLockClient;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.platform.engine.TestExecutionResult.Status;

/** Every promise that a lock breaks is noticed by the test that bears its name. */
class LockKitsCanFailTest {

    /** What a broken lock does instead of one method; {@code name} is the method's. */
    private interface Bug {
        @Nullable
        Object call(DistributedLock sound, Method method, Object[] arguments) throws Exception;
    }

    static Stream<Arguments> bugs() {
        return Stream.of(
                bug("lock", (lock, m, a) -> null, Kits.Exclusion.class, "lock_byManyThreadsAndClients_oneAtATime"),
                bug(
                        "lock",
                        (lock, m, a) -> lock.tryLock(),
                        Kits.Fairness.class,
                        "lock_byManyClients_isFirstComeFirstServed"),
                bug(
                        "lock",
                        LockKitsCanFailTest::lockClearingTheFlag,
                        Kits.Locks.class,
                        "lock_interruptedBefore_acquiresAndKeepsTheFlag"),
                bug(
                        "lockInterruptibly",
                        LockKitsCanFailTest::lockUninterruptibly,
                        Kits.Locks.class,
                        "lockInterruptibly_interruptedWhileWaiting_leavesTheQueue"),
                bug(
                        "unlock",
                        LockKitsCanFailTest::unlockSilently,
                        Kits.Locks.class,
                        "unlock_notHeld_throwsAndChangesNothing"),
                bug("unlock", (lock, m, a) -> null, Kits.Locks.class, "unlock_othersWait_nextIsLetIn"),
                bug(
                        "unlock",
                        LockKitsCanFailTest::unlockSilently,
                        Kits.Loss.class,
                        "lose_whileHeld_holderIsRefusedUntilItUnlocks"),
                bug(
                        "fencingToken",
                        (lock, m, a) -> 1L,
                        Kits.Exclusion.class,
                        "lock_byThreadsOfOneClient_tokensGrowBeyondTheHandOverBound"),
                bug(
                        "isHeldByCurrentThread",
                        (lock, m, a) -> true,
                        Kits.Loss.class,
                        "cut_forLong_holderKnowsBeforeTheNextIsLetIn"),
                bug(
                        "tryLock",
                        (lock, m, a) -> a == null || lock.tryLock(),
                        Kits.Locks.class,
                        "tryLock_taken_isFalseForOtherThreadsAndClients"),
                bug("holdCount", (lock, m, a) -> 1, Kits.Locks.class, "lock_again_isHeldUntilUnlockedAsOften"),
                bug(
                        "acquireAsync",
                        (lock, m, a) -> lock.acquireAsync().thenApply(handle -> handle),
                        Kits.Async.class,
                        "acquireAsync_cancelled_leavesTheQueue"),
                bug("onLost", (lock, m, a) -> Registration.NONE, Kits.Loss.class, "onLost_releasedBefore_isNotRun"));
    }

    private static @Nullable Object lockClearingTheFlag(DistributedLock lock, Method method, Object[] arguments) {
        lock.lock();
        Thread.interrupted();
        return null;
    }

    private static @Nullable Object lockUninterruptibly(DistributedLock lock, Method method, Object[] arguments) {
        lock.lock();
        return null;
    }

    private static @Nullable Object unlockSilently(DistributedLock lock, Method method, Object[] arguments) {
        try {
            lock.unlock();
        } catch (IllegalMonitorStateException swallowed) {
            return null;
        }
        return null;
    }

    private static Arguments bug(String method, Bug bug, Class<?> kit, String test) {
        return arguments(method, bug, kit, test);
    }

    @ParameterizedTest(name = "{3}, broken {0}")
    @MethodSource("bugs")
    void lockKit_bugPlanted_fails(String method, Bug bug, Class<?> kit, String test) {
        assertThat(Kits.run(kit, test, () -> new BrokenLocks(method, bug))).containsExactly(Status.FAILED);
        assertThat(Kits.run(kit, test, InMemoryLockFixture::new)).containsExactly(Status.SUCCESSFUL);
    }

    private static final class BrokenLocks extends InMemoryLockFixture {

        private final String broken;
        private final Bug bug;
        private final Map<SimpleLockClient, SimpleLockClient> sound = new ConcurrentHashMap<>();

        BrokenLocks(String broken, Bug bug) {
            this.broken = broken;
            this.bug = bug;
        }

        @Override
        public SimpleLockClient newClient(ClientOptions options) {
            SimpleLockClient client = super.newClient(options);
            LockClient proxy = proxy(LockClient.class, (method, arguments) -> {
                Object result = invoke(method, client, arguments);
                return result instanceof DistributedLock lock ? breakIt(lock) : result;
            });
            sound.put(proxy, client);
            return proxy;
        }

        private DistributedLock breakIt(DistributedLock lock) {
            return proxy(
                    DistributedLock.class,
                    (method, arguments) -> method.getName().equals(broken)
                            ? bug.call(lock, method, arguments)
                            : invoke(method, lock, arguments));
        }

        @Override
        public void lose(SimpleLockClient client) {
            super.lose(sound.get(client));
        }

        @Override
        public void cut(SimpleLockClient client) {
            super.cut(sound.get(client));
        }

        @Override
        public void mend(SimpleLockClient client) {
            super.mend(sound.get(client));
        }

        private interface Call {
            @Nullable
            Object of(Method method, Object[] arguments) throws Exception;
        }

        private static <T> T proxy(Class<T> type, Call call) {
            return type.cast(Proxy.newProxyInstance(
                    type.getClassLoader(),
                    new Class<?>[] {type},
                    (self, method, arguments) -> switch (method.getName()) {
                        case "equals" -> self == arguments[0];
                        case "hashCode" -> System.identityHashCode(self);
                        default -> call.of(method, arguments);
                    }));
        }

        private static @Nullable Object invoke(Method method, Object target, Object[] arguments) throws Exception {
            try {
                return method.invoke(target, arguments);
            } catch (InvocationTargetException failure) {
                if (failure.getCause() instanceof Exception cause) {
                    throw cause;
                }
                throw failure;
            }
        }
    }
}
