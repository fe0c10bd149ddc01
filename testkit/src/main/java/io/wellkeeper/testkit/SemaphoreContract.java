package io.wellkeeper.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.wellkeeper.DistributedSemaphore;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockLostException;
import io.wellkeeper.LockOptions;
import io.wellkeeper.LockStoreException;
import io.wellkeeper.Participant;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/**
 * {@link DistributedSemaphore}: acquiring and giving back. What a fair {@link java.util.concurrent.Semaphore} promises,
 * over any store that keeps a queue.
 */
public abstract class SemaphoreContract extends SemaphoreKit {

    private static final int CLIENTS = 3;
    private static final int THREADS = 3;
    private static final int ROUNDS = 15;

    /** For the store's own test to call. */
    protected SemaphoreContract() {}

    private static void assertNothingToRelease(DistributedSemaphore semaphore, int permits) {
        assertThatExceptionOfType(IllegalMonitorStateException.class)
                .isThrownBy(() -> semaphore.release(permits))
                .isNotInstanceOf(LockLostException.class);
    }

    @Test
    void semaphore_badNameOrNumber_isRefused() throws Exception {
        Client client = client();
        for (String bad : List.of("", "a\0b", "\ud83d", "x".repeat(513))) {
            assertThatExceptionOfType(IllegalArgumentException.class)
                    .isThrownBy(() -> client.queues().semaphore(bad, 1))
                    .withMessageStartingWith("lock name");
        }
        for (int bad : new int[] {0, -1, Integer.MIN_VALUE}) {
            assertThatExceptionOfType(IllegalArgumentException.class).isThrownBy(() -> semaphore(client, bad));
        }
        assertThat(semaphore(client, 1).name()).isEqualTo(name);
    }

    @Test
    void acquire_manyClients_asManyAsThereArePermits() throws Exception {
        List<DistributedSemaphore> inside = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            DistributedSemaphore semaphore = semaphore(client(), 3);
            acquire(semaphore, 1);
            inside.add(semaphore);
        }
        Client late = client();
        assertThat(semaphore(late, 3).tryAcquire()).isFalse();
        assertThat(inside.get(0).tryAcquire()).isFalse();
        Future<?> waiting = queueUp(late, semaphore(late, 3), 1);

        inside.get(1).release();

        Await.result(waiting);
        inside.get(0).release();
        inside.get(2).release();
        semaphore(late, 3).release();
        assertAllComeBack(3);
    }

    @Test
    void acquire_oneClientAgain_takesOneMoreEachTime() throws Exception {
        DistributedSemaphore semaphore = semaphore(client(), 2);
        actor().run(semaphore::acquire);
        assertThat(semaphore.tryAcquire()).isTrue();

        assertThat(semaphore.tryAcquire()).isFalse();
        assertThat(semaphore.tryAcquire(20, TimeUnit.MILLISECONDS)).isFalse();

        semaphore.release();
        acquire(semaphore, 1);
        semaphore.release(2);
        assertNothingToRelease(semaphore, 1);
        assertAllComeBack(2);
    }

    /** Who tries at the same time takes permits, but does not wait for any. */
    @Test
    void tryAcquire_severalOfOneClientAtOnce_eachHasOne() throws Exception {
        Client client = client();
        DistributedSemaphore semaphore = semaphore(client, 6);
        acquire(semaphore, 1);
        List<CompletableFuture<Optional<LockHandle>>> tries = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            tries.add(semaphore.tryAcquireHandleAsync(1, Duration.ZERO));
        }

        for (CompletableFuture<Optional<LockHandle>> one : tries) {
            assertThat(Await.get(one)).isPresent();
        }
        assertThat(semaphore.tryAcquire()).isFalse();

        for (CompletableFuture<Optional<LockHandle>> one : tries) {
            Await.get(one).orElseThrow().close();
        }
        semaphore.release();
        assertAllComeBack(6);
    }

    @Test
    void acquire_several_isAllOrNone() throws Exception {
        DistributedSemaphore a = semaphore(client(), 5);
        Client other = client();
        DistributedSemaphore b = semaphore(other, 5);
        acquire(a, 3);

        assertThat(b.tryAcquire(3)).isFalse();
        assertThat(b.tryAcquire(3, 20, TimeUnit.MILLISECONDS)).isFalse();
        assertNothingToRelease(b, 1);
        acquire(b, 2);
        Future<?> waiting = queueUp(other, b, 3);

        a.release(2);
        assertThat(waiting).isNotDone();
        a.release(1);
        Await.result(waiting);
        b.release(5);
        assertAllComeBack(5);
    }

    @Test
    void acquire_badNumber_isRefused() throws Exception {
        DistributedSemaphore semaphore = semaphore(client(), 3);
        for (int bad : new int[] {0, -1, 4, Integer.MAX_VALUE}) {
            assertRefused(() -> semaphore.acquire(bad));
            assertRefused(() -> semaphore.acquireUninterruptibly(bad));
            assertRefused(() -> semaphore.tryAcquire(bad));
            assertRefused(() -> semaphore.tryAcquire(bad, 1, TimeUnit.DAYS));
            assertRefused(() -> semaphore.acquireHandle(bad));
            assertRefused(() -> semaphore.tryAcquireHandle(bad, Duration.ofDays(1)));
            assertRefused(() -> Await.get(semaphore.acquireHandleAsync(bad)));
            assertRefused(() -> Await.get(semaphore.tryAcquireHandleAsync(bad, Duration.ofDays(1))));
        }
        for (int bad : new int[] {0, -1}) {
            assertRefused(() -> semaphore.release(bad));
        }
        assertAllComeBack(3);
    }

    private void assertRefused(Actor.Action action) {
        assertThatExceptionOfType(IllegalArgumentException.class).isThrownBy(() -> actor().run(action));
    }

    @Test
    void release_nothingAcquired_throwsAndChangesNothing() throws Exception {
        DistributedSemaphore a = semaphore(client(), 2);
        DistributedSemaphore b = semaphore(client(), 2);
        assertNothingToRelease(a, 1);
        acquire(a, 1);

        assertNothingToRelease(b, 1);
        assertNothingToRelease(a, 2);

        assertThat(a.availablePermits()).isEqualTo(1);
        a.release();
        assertNothingToRelease(a, 1);
        assertAllComeBack(2);
    }

    @Test
    void release_byAnotherThreadAndObjectOfTheClient_givesBack() throws Exception {
        Client client = client();
        acquire(semaphore(client, 2), 2);

        actor().run(() -> semaphore(client, 2).release());
        actor().run(() -> semaphore(client, 2).release());

        assertNothingToRelease(semaphore(client, 2), 1);
        assertAllComeBack(2);
    }

    @Test
    void release_partOfOneAcquisition_givesBackThatPart() throws Exception {
        DistributedSemaphore a = semaphore(client(), 3);
        Client other = client();
        DistributedSemaphore b = semaphore(other, 3);
        acquire(a, 3);
        for (int i = 0; i < 3; i++) {
            Future<?> waiting = queueUp(other, b, 1);
            a.release();
            Await.result(waiting);
        }
        assertNothingToRelease(a, 1);
        b.release(3);
        assertAllComeBack(3);
    }

    @Test
    void release_acrossAcquisitions_givesBackSoMany() throws Exception {
        DistributedSemaphore a = semaphore(client(), 6);
        DistributedSemaphore b = semaphore(client(), 6);
        acquire(a, 1);
        acquire(a, 2);
        acquire(a, 3);

        a.release(5);
        acquire(b, 5);
        assertThat(b.tryAcquire()).isFalse();
        assertNothingToRelease(a, 2);
        a.release(1);
        assertNothingToRelease(a, 1);
        b.release(5);
        assertAllComeBack(6);
    }

    @Test
    void release_awaited_othersCanHaveItAtOnce() throws Exception {
        DistributedSemaphore a =
                semaphore(client(LockOptions.builder().awaitRelease(true).build()), 6);
        DistributedSemaphore b = semaphore(client(), 6);
        for (int i = 0; i < 10; i++) {
            acquire(a, 3);
            acquire(a, 3);
            for (int part : new int[] {1, 1, 2, 2}) {
                a.release(part);
                assertThat(b.tryAcquire(part)).isTrue();
            }
            b.release(6);
        }
        assertAllComeBack(6);
    }

    /** Threads that release parts of one acquisition come in each other's way in no order that they can have. */
    @Test
    void release_partsByManyThreadsAtOnce_allComeBack() throws Exception {
        for (LockOptions options : List.of(
                LockOptions.defaults(), LockOptions.builder().awaitRelease(true).build())) {
            Client client = client(options);
            for (int i = 0; i < 10; i++) {
                DistributedSemaphore semaphore = semaphore(client, 6);
                acquire(semaphore, 6);
                List<Future<?>> releasing = new ArrayList<>();
                for (int part : new int[] {1, 2, 1, 2}) {
                    releasing.add(actor().begin(() -> semaphore.release(part)));
                }
                releasing.forEach(Await::result);
                assertNothingToRelease(semaphore, 1);
            }
            assertAllComeBack(6);
        }
    }

    @Test
    void release_severalAcquisitions_oldestFirst() throws Exception {
        Client client = client();
        DistributedSemaphore semaphore = semaphore(client, 2);
        acquire(semaphore, 1);
        long first = onlyHolder(client).number();
        acquire(semaphore, 1);

        semaphore.release();

        Await.until(
                "one holder left", () -> client.queues().inspect(name).holders().size() == 1);
        assertThat(onlyHolder(client).number()).isGreaterThan(first);
        semaphore.release();
        assertAllComeBack(2);
    }

    private Participant onlyHolder(Client client) {
        List<Participant> holders = client.queues().inspect(name).holders();
        assertThat(holders).hasSize(1);
        return holders.get(0);
    }

    @Test
    void acquireHandle_free_isTheOnlyWayToGiveItBack() throws Exception {
        DistributedSemaphore a = semaphore(client(), 3);
        LockHandle two = a.acquireHandle(2);
        LockHandle one = a.acquireHandle();
        assertThat(two.name()).isEqualTo(name);
        assertThat(two.isHeld()).isTrue();
        assertThat(two.remaining()).isPositive();
        two.checkHeld();
        assertThat(one.fencingToken()).isGreaterThan(two.fencingToken());

        assertNothingToRelease(a, 1);
        assertThat(a.tryAcquireHandle(1, Duration.ZERO)).isEmpty();
        assertThat(a.tryAcquireHandle(1, Duration.ofMillis(20))).isEmpty();
        assertThat(Await.get(a.tryAcquireHandleAsync(1, Duration.ofMillis(20)))).isEmpty();

        two.close();
        two.close();
        assertThat(two.isHeld()).isFalse();
        assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(two::checkHeld);
        Await.get(a.acquireHandleAsync(2)).close();
        assertThat(one.isHeld()).isTrue();
        one.close();
        assertAllComeBack(3);
    }

    @Test
    void fencingToken_everyAcquisition_isLargerThanAllBefore() throws Exception {
        DistributedSemaphore a = semaphore(client(), 2);
        DistributedSemaphore b = semaphore(client(), 2);
        long last = 0;
        for (int i = 0; i < 5; i++) {
            for (DistributedSemaphore semaphore : List.of(a, b)) {
                LockHandle handle = semaphore.acquireHandle();
                assertThat(handle.fencingToken()).isGreaterThan(last);
                last = handle.fencingToken();
                handle.close();
            }
        }
    }

    @Test
    void availablePermits_someInUse_areTheOthers() throws Exception {
        DistributedSemaphore a = semaphore(client(), 5);
        DistributedSemaphore b = semaphore(client(), 5);
        assertThat(b.availablePermits()).isEqualTo(5);
        acquire(a, 2);
        assertThat(b.availablePermits()).isEqualTo(3);
        acquire(b, 3);
        assertThat(a.availablePermits()).isZero();

        a.release(1);
        assertThat(a.availablePermits()).isEqualTo(1);
        a.release(1);
        b.release(3);
        Await.until("all available", () -> a.availablePermits() == 5);
    }

    @Test
    void availablePermits_somebodyWaitsForThem_areNone() throws Exception {
        DistributedSemaphore a = semaphore(client(), 3);
        Client waiting = client();
        acquire(a, 2);
        Future<?> acquired = queueUp(waiting, semaphore(waiting, 3), 2);

        assertThat(a.availablePermits()).isZero();
        assertThat(a.drainPermits()).isZero();

        a.release(2);
        Await.result(acquired);
        semaphore(waiting, 3).release(2);
        assertAllComeBack(3);
    }

    @Test
    void availablePermits_moreIsWaitedForThanAnIntHolds_areNone() throws Exception {
        Client client = client();
        DistributedSemaphore semaphore = semaphore(client, Integer.MAX_VALUE);
        acquire(semaphore, Integer.MAX_VALUE);
        List<Future<?>> waiting =
                List.of(queueUp(client, semaphore, Integer.MAX_VALUE), queueUp(client, semaphore, Integer.MAX_VALUE));

        assertThat(semaphore.availablePermits()).isZero();

        for (Future<?> acquired : waiting) {
            semaphore.release(Integer.MAX_VALUE);
            Await.result(acquired);
        }
        semaphore.release(Integer.MAX_VALUE);
    }

    @Test
    void drainPermits_someInUse_takesTheOthers() throws Exception {
        DistributedSemaphore a = semaphore(client(), 5);
        DistributedSemaphore b = semaphore(client(), 5);
        acquire(a, 2);

        assertThat(b.drainPermits()).isEqualTo(3);
        assertThat(b.drainPermits()).isZero();
        assertThat(a.tryAcquire()).isFalse();

        assertNothingToRelease(b, 4);
        b.release(3);
        a.release(2);
        acquire(a, 1);
        a.release();
        assertAllComeBack(5);
    }

    @Test
    void acquire_byManyThreadsAndClients_neverMoreThanThereAre() throws Exception {
        int permits = 4;
        AtomicInteger free = new AtomicInteger(permits);
        crowd(permits, semaphore -> {
            int wanted = 1 + ThreadLocalRandom.current().nextInt(permits);
            semaphore.acquire(wanted);
            assertThat(free.addAndGet(-wanted)).isNotNegative();
            Thread.yield();
            free.addAndGet(wanted);
            semaphore.release(wanted);
        });
        assertAllComeBack(permits);
    }

    @Test
    void tryAcquire_stormOfTimeoutsAndCancellations_leavesNothing() throws Exception {
        int permits = 3;
        AtomicInteger free = new AtomicInteger(permits);
        crowd(permits, semaphore -> {
            int wanted = 1 + ThreadLocalRandom.current().nextInt(permits);
            CompletableFuture<LockHandle> future = semaphore.acquireHandleAsync(wanted);
            if (ThreadLocalRandom.current().nextBoolean()) {
                Thread.yield();
            }
            if (!future.cancel(true)) {
                LockHandle handle = future.join();
                assertThat(free.addAndGet(-wanted)).isNotNegative();
                free.addAndGet(wanted);
                handle.close();
            }
            tryBriefly(semaphore, wanted);
        });
        assertAllComeBack(permits);
    }

    private static void tryBriefly(DistributedSemaphore semaphore, int wanted) throws InterruptedException {
        Duration time = Duration.ofNanos(ThreadLocalRandom.current().nextInt(3_000_000));
        try {
            semaphore.tryAcquireHandle(wanted, time).ifPresent(LockHandle::close);
        } catch (LockStoreException noAnswerInSoShortATime) {
            return;
        }
    }

    private interface Round {
        void run(DistributedSemaphore semaphore) throws Exception;
    }

    /** All threads of all clients do the same at once. */
    private void crowd(int permits, Round round) throws Exception {
        List<Future<?>> running = new ArrayList<>();
        for (int c = 0; c < CLIENTS; c++) {
            DistributedSemaphore semaphore = semaphore(client(), permits);
            for (int t = 0; t < THREADS; t++) {
                running.add(actor().begin(() -> {
                    for (int i = 0; i < ROUNDS; i++) {
                        round.run(semaphore);
                    }
                }));
            }
        }
        running.forEach(Await::result);
    }
}
