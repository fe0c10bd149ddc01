package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.wellkeeper.DistributedSemaphore;
import io.wellkeeper.LockAdmin;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockLostException;
import io.wellkeeper.LockOptions;
import io.wellkeeper.LockStoreException;
import io.wellkeeper.Participant;
import io.wellkeeper.Permits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/**
 * {@link DistributedSemaphore}: acquiring and giving back. These are the promises of a fair
 * {@link java.util.concurrent.Semaphore}, over any store with queues.
 */
abstract class SemaphoreContract extends SemaphoreKit {

    private static final int CLIENTS = 3;
    private static final int THREADS = 3;
    private static final int ROUNDS = 15;

    private static void assertNothingToRelease(Purse semaphore, int permits) {
        assertThatExceptionOfType(IllegalMonitorStateException.class)
                .isThrownBy(() -> semaphore.give(permits))
                .isNotInstanceOf(LockLostException.class);
    }

    @Test
    void semaphore_optionsThatOnlyLocksHave_areRefusedByName() throws Exception {
        LockClient client = client(LockOptions.builder().handOvers(3).build()).queues();
        Map<String, LockOptions> bad = Map.of(
                "handOvers 4", LockOptions.builder().handOvers(4).build(),
                "handOverTime PT1S",
                        LockOptions.builder()
                                .handOverTime(Duration.ofSeconds(1))
                                .build(),
                "reentrant false", LockOptions.builder().reentrant(false).build(),
                "retain true", LockOptions.builder().retain(true).build(),
                "interruptOnLoss true",
                        LockOptions.builder().interruptOnLoss(true).build());
        bad.forEach((what, options) -> assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> client.semaphore(name, 1, options))
                .withMessageContaining(name)
                .withMessageContaining(what));
        LockOptions good = client.options().lockDefaults().toBuilder()
                .awaitRelease(true)
                .reason("why")
                .label("key", "value")
                .build();
        client.semaphore(name, 1, good).acquire().close();
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
        List<Purse> inside = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            Purse semaphore = semaphore(client(), 3);
            acquire(semaphore, 1);
            inside.add(semaphore);
        }
        Client late = client();
        assertThat(semaphore(late, 3).tryTake()).isFalse();
        assertThat(inside.get(0).tryTake()).isFalse();
        Future<?> waiting = queueUp(late, semaphore(late, 3), 1);

        inside.get(1).give();

        Await.result(waiting);
        inside.get(0).give();
        inside.get(2).give();
        semaphore(late, 3).give();
        assertAllComeBack(3);
    }

    @Test
    void acquire_oneClientAgain_takesOneMoreEachTime() throws Exception {
        Purse semaphore = semaphore(client(), 2);
        actor().run(semaphore::take);
        assertThat(semaphore.tryTake()).isTrue();

        assertThat(semaphore.tryTake()).isFalse();
        assertThat(semaphore.tryTake(20, TimeUnit.MILLISECONDS)).isFalse();

        semaphore.give();
        acquire(semaphore, 1);
        semaphore.give(2);
        assertNothingToRelease(semaphore, 1);
        assertAllComeBack(2);
    }

    /** Tries at the same time take permits, but none of them waits for another. */
    @Test
    void tryAcquire_severalOfOneClientAtOnce_eachHasOne() throws Exception {
        Client client = client();
        Purse semaphore = semaphore(client, 6);
        acquire(semaphore, 1);
        List<CompletableFuture<Optional<Permits>>> tries = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            tries.add(semaphore.tryAcquireAsync(1, Duration.ZERO));
        }

        for (CompletableFuture<Optional<Permits>> one : tries) {
            assertThat(Await.get(one)).isPresent();
        }
        assertThat(semaphore.tryTake()).isFalse();

        for (CompletableFuture<Optional<Permits>> one : tries) {
            Await.get(one).orElseThrow().close();
        }
        semaphore.give();
        assertAllComeBack(6);
    }

    @Test
    void acquire_several_isAllOrNone() throws Exception {
        Purse a = semaphore(client(), 5);
        Client other = client();
        Purse b = semaphore(other, 5);
        acquire(a, 3);

        assertThat(b.tryTake(3)).isFalse();
        assertThat(b.tryTake(3, 20, TimeUnit.MILLISECONDS)).isFalse();
        assertNothingToRelease(b, 1);
        acquire(b, 2);
        Future<?> waiting = queueUp(other, b, 3);

        a.give(2);
        assertThat(waiting).isNotDone();
        a.give(1);
        Await.result(waiting);
        b.give(5);
        assertAllComeBack(5);
    }

    @Test
    void acquire_badNumber_isRefused() throws Exception {
        Purse semaphore = semaphore(client(), 3);
        for (int bad : new int[] {0, -1, 4, Integer.MAX_VALUE}) {
            assertRefused(() -> semaphore.take(bad));
            assertRefused(() -> semaphore.tryTake(bad));
            assertRefused(() -> semaphore.tryTake(bad, 1, TimeUnit.DAYS));
            assertRefused(() -> semaphore.acquire(bad));
            assertRefused(() -> semaphore.tryAcquire(bad, Duration.ofDays(1)));
            assertRefused(() -> Await.get(semaphore.acquireAsync(bad)));
            assertRefused(() -> Await.get(semaphore.tryAcquireAsync(bad, Duration.ofDays(1))));
        }
        assertAllComeBack(3);
    }

    private void assertRefused(Actor.Action action) {
        assertThatExceptionOfType(IllegalArgumentException.class).isThrownBy(() -> actor().run(action));
    }

    @Test
    void release_nothingAcquired_throwsAndChangesNothing() throws Exception {
        Purse a = semaphore(client(), 2);
        Purse b = semaphore(client(), 2);
        assertNothingToRelease(a, 1);
        acquire(a, 1);

        assertNothingToRelease(b, 1);
        assertNothingToRelease(a, 2);

        assertThat(a.availablePermits()).isEqualTo(1);
        a.give();
        assertNothingToRelease(a, 1);
        assertAllComeBack(2);
    }

    @Test
    void release_moreThanAreHeld_isRefusedAndChangesNothing() throws Exception {
        DistributedSemaphore semaphore = client(
                        LockOptions.builder().awaitRelease(true).build())
                .queues()
                .semaphore(name, 3);
        Permits two = semaphore.acquire(2);
        assertThat(two.count()).isEqualTo(2);

        for (int bad : new int[] {0, -1, Integer.MIN_VALUE}) {
            assertThatExceptionOfType(IllegalArgumentException.class).isThrownBy(() -> two.release(bad));
        }
        assertThatExceptionOfType(IllegalMonitorStateException.class)
                .isThrownBy(() -> two.release(3))
                .isNotInstanceOf(LockLostException.class);

        assertThat(two.isHeld()).isTrue();
        assertThat(semaphore.availablePermits()).isEqualTo(1);
        two.release(1);
        assertThat(two.count()).isEqualTo(1);
        assertThat(semaphore.availablePermits()).isEqualTo(2);
        two.release(1);
        assertThat(two.count()).isZero();
        assertThat(two.isHeld()).isFalse();
        assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(() -> two.release(1));
        two.close();
        assertAllComeBack(3);
    }

    @Test
    void release_byAnotherThreadAndObjectOfTheClient_givesBack() throws Exception {
        Client client = client();
        acquire(semaphore(client, 2), 2);

        actor().run(() -> semaphore(client, 2).give());
        actor().run(() -> semaphore(client, 2).give());

        assertNothingToRelease(semaphore(client, 2), 1);
        assertAllComeBack(2);
    }

    @Test
    void release_partOfOneAcquisition_givesBackThatPart() throws Exception {
        Purse a = semaphore(client(), 3);
        Client other = client();
        Purse b = semaphore(other, 3);
        acquire(a, 3);
        for (int i = 0; i < 3; i++) {
            Future<?> waiting = queueUp(other, b, 1);
            a.give();
            Await.result(waiting);
        }
        assertNothingToRelease(a, 1);
        b.give(3);
        assertAllComeBack(3);
    }

    @Test
    void release_acrossAcquisitions_givesBackSoMany() throws Exception {
        Purse a = semaphore(client(), 6);
        Purse b = semaphore(client(), 6);
        acquire(a, 1);
        acquire(a, 2);
        acquire(a, 3);

        a.give(5);
        acquire(b, 5);
        assertThat(b.tryTake()).isFalse();
        assertNothingToRelease(a, 2);
        a.give(1);
        assertNothingToRelease(a, 1);
        b.give(5);
        assertAllComeBack(6);
    }

    @Test
    void release_awaited_othersCanHaveItAtOnce() throws Exception {
        Purse a = semaphore(client(LockOptions.builder().awaitRelease(true).build()), 6);
        Purse b = semaphore(client(), 6);
        for (int i = 0; i < 10; i++) {
            acquire(a, 3);
            acquire(a, 3);
            for (int part : new int[] {1, 1, 2, 2}) {
                a.give(part);
                assertThat(b.tryTake(part)).isTrue();
            }
            b.give(6);
        }
        assertAllComeBack(6);
    }

    /** Threads that release parts of one acquisition do not disturb each other, in whatever order they run. */
    @Test
    void release_partsByManyThreadsAtOnce_allComeBack() throws Exception {
        for (LockOptions options : List.of(
                LockOptions.defaults(), LockOptions.builder().awaitRelease(true).build())) {
            Client client = client(options);
            for (int i = 0; i < 10; i++) {
                Purse semaphore = semaphore(client, 6);
                acquire(semaphore, 6);
                List<Future<?>> releasing = new ArrayList<>();
                for (int part : new int[] {1, 2, 1, 2}) {
                    releasing.add(actor().begin(() -> semaphore.give(part)));
                }
                releasing.forEach(Await::result);
                assertNothingToRelease(semaphore, 1);
            }
            assertAllComeBack(6);
        }
    }

    @Test
    void release_oneByOne_listenerIsToldOfEach() throws Exception {
        Client client = client();
        Permits permits = client.queues().semaphore(name, 4).acquire(4);

        permits.release(2);
        client.events().await("partlyReleased " + name + " 2", 1);
        permits.release(1);
        client.events().await("partlyReleased " + name + " 1", 1);
        assertThat(client.events().count("released " + name)).isZero();
        permits.release(1);
        permits.close();

        client.events().await("released " + name, 1);
        assertThat(client.events().count("partlyReleased " + name + " 1")).isEqualTo(1);
        assertAllComeBack(4);
    }

    @Test
    void release_severalAcquisitions_oldestFirst() throws Exception {
        Client client = client();
        Purse semaphore = semaphore(client, 2);
        acquire(semaphore, 1);
        long first = onlyHolder(client).number();
        acquire(semaphore, 1);

        semaphore.give();

        Await.until(
                "one holder left",
                () -> client.queues().admin().inspect(name).holders().size() == 1);
        assertThat(onlyHolder(client).number()).isGreaterThan(first);
        semaphore.give();
        assertAllComeBack(2);
    }

    @Test
    void inspect_someInUse_showsHowManyPermitsEachHolds() throws Exception {
        Client client = client(LockOptions.builder().awaitRelease(true).build());
        DistributedSemaphore semaphore = client.queues().semaphore(name, 6);
        Permits three = semaphore.acquire(3);
        Permits two = semaphore.acquire(2);
        CompletableFuture<Permits> four = semaphore.acquireAsync(4);
        client.events().await("contended " + name, 1);
        LockAdmin admin = client().queues().admin();
        assertThat(admin.inspect(name).holders())
                .extracting(Participant::permits)
                .containsExactly(3, 2);
        assertThat(admin.inspect(name).waiters())
                .extracting(Participant::permits)
                .containsExactly(4);

        three.release(2);

        assertThat(admin.inspect(name).holders())
                .extracting(Participant::permits)
                .containsExactly(1, 2);
        three.close();
        two.close();
        Await.get(four).close();
        assertAllComeBack(6);
    }

    private Participant onlyHolder(Client client) {
        List<Participant> holders = client.queues().admin().inspect(name).holders();
        assertThat(holders).hasSize(1);
        return holders.get(0);
    }

    @Test
    void acquire_free_isTheOnlyWayToGiveItBack() throws Exception {
        Purse a = semaphore(client(), 3);
        LockHandle two = a.acquire(2);
        LockHandle one = a.acquire();
        assertThat(two.name()).isEqualTo(name);
        assertThat(two.isHeld()).isTrue();
        assertThat(two.remaining()).isPositive();
        two.checkHeld();
        assertThat(one.fencingToken()).isGreaterThan(two.fencingToken());

        assertNothingToRelease(a, 1);
        assertThat(a.tryAcquire(1, Duration.ZERO)).isEmpty();
        assertThat(a.tryAcquire(1, Duration.ofMillis(20))).isEmpty();
        assertThat(Await.get(a.tryAcquireAsync(1, Duration.ofMillis(20)))).isEmpty();

        two.close();
        two.close();
        assertThat(two.isHeld()).isFalse();
        assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(two::checkHeld);
        Await.get(a.acquireAsync(2)).close();
        assertThat(one.isHeld()).isTrue();
        one.close();
        assertAllComeBack(3);
    }

    @Test
    void fencingToken_everyAcquisition_isLargerThanAllBefore() throws Exception {
        Purse a = semaphore(client(), 2);
        Purse b = semaphore(client(), 2);
        long last = 0;
        for (int i = 0; i < 5; i++) {
            for (Purse semaphore : List.of(a, b)) {
                LockHandle handle = semaphore.acquire();
                assertThat(handle.fencingToken()).isGreaterThan(last);
                last = handle.fencingToken();
                handle.close();
            }
        }
    }

    @Test
    void availablePermits_someInUse_areTheOthers() throws Exception {
        Purse a = semaphore(client(), 5);
        Purse b = semaphore(client(), 5);
        assertThat(b.availablePermits()).isEqualTo(5);
        acquire(a, 2);
        assertThat(b.availablePermits()).isEqualTo(3);
        acquire(b, 3);
        assertThat(a.availablePermits()).isZero();

        a.give(1);
        assertThat(a.availablePermits()).isEqualTo(1);
        a.give(1);
        b.give(3);
        Await.until("all available", () -> a.availablePermits() == 5);
    }

    @Test
    void availablePermits_somebodyWaitsForThem_areNone() throws Exception {
        Purse a = semaphore(client(), 3);
        Client waiting = client();
        acquire(a, 2);
        Future<?> acquired = queueUp(waiting, semaphore(waiting, 3), 2);

        assertThat(a.availablePermits()).isZero();
        assertThat(a.takeAll()).isZero();

        a.give(2);
        Await.result(acquired);
        semaphore(waiting, 3).give(2);
        assertAllComeBack(3);
    }

    @Test
    void availablePermits_moreIsWaitedForThanAnIntHolds_areNone() throws Exception {
        Client client = client();
        Purse semaphore = semaphore(client, Integer.MAX_VALUE);
        acquire(semaphore, Integer.MAX_VALUE);
        List<Future<?>> waiting =
                List.of(queueUp(client, semaphore, Integer.MAX_VALUE), queueUp(client, semaphore, Integer.MAX_VALUE));

        assertThat(semaphore.availablePermits()).isZero();

        for (Future<?> acquired : waiting) {
            semaphore.give(Integer.MAX_VALUE);
            Await.result(acquired);
        }
        semaphore.give(Integer.MAX_VALUE);
    }

    @Test
    void drainPermits_someInUse_takesTheOthers() throws Exception {
        Purse a = semaphore(client(), 5);
        Purse b = semaphore(client(), 5);
        acquire(a, 2);

        assertThat(b.takeAll()).isEqualTo(3);
        assertThat(b.takeAll()).isZero();
        assertThat(a.tryTake()).isFalse();

        assertNothingToRelease(b, 4);
        b.give(3);
        a.give(2);
        acquire(a, 1);
        a.give();
        assertAllComeBack(5);
    }

    @Test
    void acquire_byManyThreadsAndClients_neverMoreThanThereAre() throws Exception {
        int permits = 4;
        AtomicInteger free = new AtomicInteger(permits);
        crowd(permits, semaphore -> {
            int wanted = 1 + ThreadLocalRandom.current().nextInt(permits);
            semaphore.take(wanted);
            assertThat(free.addAndGet(-wanted)).isNotNegative();
            Thread.yield();
            free.addAndGet(wanted);
            semaphore.give(wanted);
        });
        assertAllComeBack(permits);
    }

    @Test
    void tryAcquire_stormOfTimeoutsAndCancellations_leavesNothing() throws Exception {
        int permits = 3;
        AtomicInteger free = new AtomicInteger(permits);
        crowd(permits, semaphore -> {
            int wanted = 1 + ThreadLocalRandom.current().nextInt(permits);
            CompletableFuture<Permits> future = semaphore.acquireAsync(wanted);
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

    private static void tryBriefly(Purse semaphore, int wanted) throws InterruptedException {
        Duration time = Duration.ofNanos(ThreadLocalRandom.current().nextInt(3_000_000));
        try {
            semaphore.tryAcquire(wanted, time).ifPresent(LockHandle::close);
        } catch (LockStoreException noAnswerInSoShortATime) {
            return;
        }
    }

    private interface Round {
        void run(Purse semaphore) throws Exception;
    }

    /** All threads of all clients do the same at the same time. */
    private void crowd(int permits, Round round) throws Exception {
        List<Future<?>> running = new ArrayList<>();
        for (int c = 0; c < CLIENTS; c++) {
            Purse semaphore = semaphore(client(), permits);
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
