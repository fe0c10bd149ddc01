package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

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
import io.wellkeeper.Permits;
import io.wellkeeper.Registration;
import io.wellkeeper.storekit.BrokenLocks.Bug;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.platform.engine.TestExecutionResult.Status;

/** Every promise of the lock family that is broken is noticed by the test that bears its name. */
class FamilyKitsCanFailTest {

    static Stream<Arguments> bugs() {
        return Stream.of(readWriteBugs(), semaphoreBugs(), conditionBugs(), multiLockBugs(), clientBugs(), handleBugs())
                .flatMap(bugs -> bugs);
    }

    private static Stream<Arguments> readWriteBugs() {
        Class<DistributedReadWriteLock> face = DistributedReadWriteLock.class;
        return Stream.of(
                bug(
                        "readers exclude each other",
                        () -> new BrokenLocks<>(face, "readLock", (lock, m, a) -> lock.writeLock()),
                        Kits.ReadWriteLocks.class,
                        "readLock_manyThreadsAndClients_areInTogether"),
                bug(
                        "writers tolerate readers",
                        () -> new BrokenLocks<>(face, "writeLock", (lock, m, a) -> lock.readLock()),
                        Kits.ReadWriteLocks.class,
                        "writeLock_held_keepsEverybodyOut"),
                bug(
                        "readers pass waiting writers",
                        () -> new BrokenLocks<>(face, "readLock", Gaps::impatientReader),
                        Kits.ReadWriteFairness.class,
                        "lock_manyClientsWait_theirTurnsComeInTheOrderOfTheirNumbers"),
                bug(
                        "a handle that is downgraded lets a writer in",
                        () -> new BrokenLocks<>(face, "downgrade", (lock, m, a) -> {
                            ((LockHandle) a[0]).close();
                            return lock.readLock()
                                    .tryAcquire(Duration.ofMillis(100))
                                    .orElse((LockHandle) a[0]);
                        }),
                        Kits.ReadWriteHandles.class,
                        "downgrade_writer_letsReadersInAndNoWriter"),
                bug(
                        "a downgrade leaves a gap",
                        () -> new BrokenLocks<>(face, "writeLock", Gaps::downgradeWithGap),
                        Kits.Downgrades.class,
                        "downgrade_waitingWriter_staysOutUntilTheReadersHaveLeft"));
    }

    private static Stream<Arguments> semaphoreBugs() {
        Class<DistributedSemaphore> face = DistributedSemaphore.class;
        return Stream.of(
                bug(
                        "only the predecessor is watched",
                        OnlyPredecessorWatched::new,
                        Kits.SemaphoreWaiting.class,
                        "acquire_anyOfTheHoldersLeaves_nextIsLetIn"),
                bug(
                        "many permits are acquired one by one",
                        () -> new BrokenLocks<>(face, "tryAcquire", FamilyKitsCanFailTest::oneByOne),
                        Kits.Semaphores.class,
                        "acquire_several_isAllOrNone"),
                bug(
                        "whoever releases too many gives back what there is",
                        () -> new BrokenLocks<>(Permits.class, "release", (permits, m, a) -> {
                            permits.close();
                            return null;
                        }),
                        Kits.Semaphores.class,
                        "release_moreThanAreHeld_isRefusedAndChangesNothing"),
                bug(
                        "nobody hears of more permits",
                        () -> new BrokenLocks<>(face, "resize", (semaphore, m, a) -> null),
                        Kits.SemaphoreResize.class,
                        "resize_up_waitersAreLetInAtOnce"));
    }

    private static Stream<Arguments> conditionBugs() {
        return Stream.of(
                bug(
                        "a signal dies with its waiter",
                        FamilyKitsCanFailTest::forgetfulConditions,
                        Kits.ConditionLoss.class,
                        "signal_waiterIsCutOffBeforeItHasTheLock_nextIsWokenInstead"),
                bug(
                        "a signal is for a waiter who died long ago",
                        FamilyKitsCanFailTest::forgetfulConditions,
                        Kits.ConditionLoss.class,
                        "signal_waiterWasCutOffLongBefore_nextIsWokenInstead"),
                bug(
                        "a signal is lost with an interrupt",
                        FamilyKitsCanFailTest::forgetfulConditions,
                        Kits.ConditionLoss.class,
                        "signal_waiterIsInterruptedBeforeItHasTheLock_nextIsWokenInstead"),
                bug(
                        "one is woken for all",
                        () -> new BrokenLocks<>(DistributedCondition.class, "signalAll", (condition, m, a) -> {
                            condition.signal();
                            return null;
                        }),
                        Kits.Conditions.class,
                        "signalAll_manyWait_allWakeOneAtATime"),
                bug(
                        "an interrupt ends what it must not",
                        () -> new BrokenLocks<>(
                                DistributedCondition.class,
                                "awaitUninterruptibly",
                                FamilyKitsCanFailTest::awaitInterruptibly),
                        Kits.Conditions.class,
                        "awaitUninterruptibly_interrupted_waitsOnAndKeepsTheFlag"),
                bug(
                        "a wait does not give the lock up",
                        () -> new BrokenLocks<>(
                                DistributedCondition.class,
                                "awaitAsync",
                                (condition, m, a) -> CompletableFuture.completedFuture(a[0])),
                        Kits.AsyncConditions.class,
                        "awaitAsync_signalled_hasTheLockAgain"),
                bug(
                        "nobody is told of an asynchronous signal",
                        () -> new BrokenLocks<>(
                                DistributedCondition.class,
                                "signalAsync",
                                (condition, m, a) -> CompletableFuture.completedFuture(null)),
                        Kits.AsyncConditions.class,
                        "awaitAsync_cancelled_passesTheSignalOn"));
    }

    private static Stream<Arguments> multiLockBugs() {
        Class<DistributedMultiLock> face = DistributedMultiLock.class;
        return Stream.of(
                bug(
                        "each member has the whole time",
                        () -> new BrokenLocks<>(LockClient.class, "all", WholeTimeForEach::of),
                        Kits.MultiLockWaiting.class,
                        "tryLock_membersComeFreeOneByOne_hasOneDeadlineOverAll"),
                bug(
                        "what was acquired is kept when another is taken",
                        () -> new BrokenLocks<>(LockClient.class, "all", WholeTimeForEach::keepingAll),
                        Kits.MultiLocks.class,
                        "tryLock_anyMemberTaken_isFalseAndHoldsNone"),
                bug(
                        "one member held is enough",
                        () -> new BrokenLocks<>(face, "isHeldByCurrentThread", (lock, m, a) -> true),
                        Kits.MultiLockLoss.class,
                        "evict_oneMember_allAreLostAndUnlockReleasesTheOthers"));
    }

    private static Stream<Arguments> clientBugs() {
        Class<LockAdmin> face = LockAdmin.class;
        return Stream.of(
                bug(
                        "nobody is asked",
                        () -> new BrokenLocks<>(face, "requestRevocation", (client, m, a) -> 1),
                        Kits.Revocations.class,
                        "requestRevocation_holderListens_isToldOnceWhoAndWhy"),
                bug(
                        "nothing is broken",
                        () -> new BrokenLocks<>(face, "breakLock", (client, m, a) -> List.of()),
                        Kits.Breaks.class,
                        "breakLock_othersWait_nextIsLetInWithALargerToken"),
                bug(
                        "no deadlock is found",
                        () -> new BrokenLocks<>(face, "deadlocks", (client, m, a) -> List.of()),
                        Kits.Deadlocks.class,
                        "deadlocks_twoClientsCrosswise_areOneCircle"));
    }

    private static Stream<Arguments> otherBugs() {
        return Stream.of(
                bug(
                        "a count is set anew while somebody counts",
                        () -> new BrokenLocks<>(DistributedLatch.class, "trySetCount", (latch, m, a) -> {
                            latch.delete();
                            return m.invoke(latch, a);
                        }),
                        Kits.Latches.class,
                        "trySetCount_closedAlready_isFalseAndChangesNothing"),
                bug(
                        "a count is forgotten",
                        () -> new BrokenLocks<>(DistributedLatch.class, "countDown", (latch, m, a) -> null),
                        Kits.Latches.class,
                        "countDown_clientIsGone_hasCounted"),
                bug(
                        "everybody is the last",
                        () -> new BrokenLocks<>(DistributedBarrier.class, "await", (barrier, m, a) -> 0),
                        Kits.Barriers.class,
                        "await_byManyRoundAfterRound_nobodyIsAhead"),
                bug(
                        "whoever was elected leads for ever",
                        () -> new BrokenLocks<>(LeaderElection.class, "isLeader", (election, m, a) -> true),
                        Kits.Elections.class,
                        "cut_theLeaderForLong_knowsBeforeTheNextIsElectedAndStandsAgain"),
                bug(
                        "nobody resigns",
                        () -> new BrokenLocks<>(LeaderElection.class, "resign", (election, m, a) -> null),
                        Kits.Elections.class,
                        "resign_whileWaiting_leavesTheQueue"));
    }

    private static Stream<Arguments> handleBugs() {
        Class<LockHandle> face = LockHandle.class;
        return Stream.of(
                bug(
                        "nobody is told",
                        () -> new BrokenLocks<>(face, "onRevocationRequested", (handle, m, a) -> Registration.NONE),
                        Kits.Revocations.class,
                        "requestRevocation_holderListens_isToldOnceWhoAndWhy"),
                bug(
                        "a loss is not told",
                        () -> new BrokenLocks<>(face, "onLost", (handle, m, a) -> Registration.NONE),
                        Kits.LossNotices.class,
                        "onLost_sessionIsLost_runsOnTheCallbackExecutor"),
                bug(
                        "a release counts as a loss",
                        () -> new BrokenLocks<>(face, "onLost", (handle, m, a) -> {
                            ((Runnable) Objects.requireNonNull(a[0])).run();
                            return Registration.NONE;
                        }),
                        Kits.LossNotices.class,
                        "onLost_releasedBefore_neverRuns"));
    }

    private static Object oneByOne(DistributedSemaphore semaphore, Object method, Object[] arguments) {
        int permits = arguments.length > 0 && arguments[0] instanceof Integer many ? many : 1;
        Optional<Permits> last = Optional.empty();
        for (int i = 0; i < permits; i++) {
            last = semaphore.tryAcquire();
            if (last.isEmpty()) {
                return last;
            }
        }
        return last;
    }

    private static Object awaitInterruptibly(DistributedCondition condition, Object method, Object[] arguments) {
        try {
            condition.await();
        } catch (InterruptedException remembered) {
            Thread.currentThread().interrupt();
        }
        return true;
    }

    private static LockFixture forgetfulConditions() {
        ForgetfulConditions conditions = new ForgetfulConditions();
        Bug<DistributedLock> bug = (lock, m, a) -> conditions.of(lock);
        return new BrokenLocks<>(DistributedLock.class, "newCondition", bug);
    }

    private static Arguments bug(String what, Supplier<LockFixture> planted, Class<?> kit, String test) {
        return arguments(what, planted, kit, test);
    }

    @ParameterizedTest(name = "{0}: {3}")
    @MethodSource("bugs")
    void familyKit_bugPlanted_fails(String what, Supplier<LockFixture> planted, Class<?> kit, String test) {
        assertThat(Kits.run(kit, test, planted)).containsExactly(Status.FAILED);
        assertThat(Kits.runPatiently(kit, test, BrokenLocks::unbroken)).containsExactly(Status.SUCCESSFUL);
    }
}
