package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.wellkeeper.DistributedLock;
import io.wellkeeper.Registration;
import io.wellkeeper.storekit.BrokenLocks.Bug;
import java.lang.reflect.Method;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.platform.engine.TestExecutionResult.Status;

/** Every promise that a lock breaks is noticed by the test that bears its name. */
class LockKitsCanFailTest {

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
                        (lock, m, a) -> a.length == 0 || lock.tryLock(),
                        Kits.Locks.class,
                        "tryLock_taken_isFalseForOtherThreadsAndClients"),
                bug("getHoldCount", (lock, m, a) -> 1, Kits.Locks.class, "lock_again_isHeldUntilUnlockedAsOften"),
                bug(
                        "acquireAsync",
                        (lock, m, a) -> lock.acquireAsync().thenApply(handle -> handle),
                        Kits.Async.class,
                        "acquireAsync_cancelled_leavesTheQueue"),
                bug("onLost", (lock, m, a) -> Registration.NONE, Kits.Loss.class, "onLost_releasedBefore_isNotRun"));
    }

    private static @Nullable Object lockClearingTheFlag(
            DistributedLock lock, Method method, @Nullable Object[] arguments) {
        lock.lock();
        Thread.interrupted();
        return null;
    }

    private static @Nullable Object lockUninterruptibly(
            DistributedLock lock, Method method, @Nullable Object[] arguments) {
        lock.lock();
        return null;
    }

    private static @Nullable Object unlockSilently(DistributedLock lock, Method method, @Nullable Object[] arguments) {
        try {
            lock.unlock();
        } catch (IllegalMonitorStateException swallowed) {
            return null;
        }
        return null;
    }

    private static Arguments bug(String method, Bug<DistributedLock> bug, Class<?> kit, String test) {
        return arguments(method, bug, kit, test);
    }

    @ParameterizedTest(name = "{3}, broken {0}")
    @MethodSource("bugs")
    void lockKit_bugPlanted_fails(String method, Bug<DistributedLock> bug, Class<?> kit, String test) {
        assertThat(Kits.run(kit, test, () -> new BrokenLocks<>(DistributedLock.class, method, bug)))
                .containsExactly(Status.FAILED);
        assertThat(Kits.runPatiently(kit, test, BrokenLocks::unbroken)).containsExactly(Status.SUCCESSFUL);
    }
}
