package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.wellkeeper.DistributedSemaphore;
import io.wellkeeper.LockClientClosedException;
import io.wellkeeper.LockHandle;
import io.wellkeeper.Permits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** {@link DistributedSemaphore}: first come, first served, and how a wait ends. */
abstract class SemaphoreWaitingContract extends SemaphoreKit {

    @Test
    void acquire_manyClientsWait_isFirstComeFirstServed() throws Exception {
        List<String> order = new CopyOnWriteArrayList<>();
        Purse first = semaphore(client(), 3);
        acquire(first, 3);
        List<Future<?>> visitors = new ArrayList<>();
        for (int wanted : new int[] {3, 3, 2, 2, 3}) {
            Client client = client();
            String label = (visitors.size() + 1) + " wants " + wanted;
            visitors.add(client.queueUp(actor(), name, () -> {
                semaphore(client, 3).take(wanted);
                order.add(label);
                semaphore(client, 3).give(wanted);
            }));
        }

        first.give(3);

        visitors.forEach(Await::result);
        assertThat(order).containsExactly("1 wants 3", "2 wants 3", "3 wants 2", "4 wants 2", "5 wants 3");
    }

    @Test
    void acquire_anyOfTheHoldersLeaves_nextIsLetIn() throws Exception {
        for (int leaving = 0; leaving < 3; leaving++) {
            List<Purse> holders = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                Purse holder = semaphore(client(), 3);
                acquire(holder, 1);
                holders.add(holder);
            }
            Client late = client();
            Future<?> waiting = queueUp(late, semaphore(late, 3), 1);

            holders.remove(leaving).give();

            Await.result(waiting);
            semaphore(late, 3).give();
            holders.forEach(Purse::give);
            assertAllComeBack(3);
        }
    }

    @Test
    void acquire_twoHoldersLeave_bothOfThoseWhoWaitAreInTogether() throws Exception {
        Purse holder = semaphore(client(), 2);
        acquire(holder, 2);
        Client b = client();
        Client c = client();
        Future<?> second = queueUp(b, semaphore(b, 2), 1);
        Future<?> third = queueUp(c, semaphore(c, 2), 1);

        holder.give(2);

        Await.result(second);
        Await.result(third);
        semaphore(b, 2).give();
        semaphore(c, 2).give();
        assertAllComeBack(2);
    }

    @Test
    void acquire_smallBehindLarge_doesNotOvertake() throws Exception {
        Purse a = semaphore(client(), 3);
        acquire(a, 2);
        Client large = client();
        Client small = client();
        Future<?> wantsThree = queueUp(large, semaphore(large, 3), 3);
        assertThat(semaphore(small, 3).tryTake()).isFalse();
        assertThat(a.tryTake()).isFalse();
        Future<?> wantsOne = queueUp(small, semaphore(small, 3), 1);

        a.give(2);

        Await.result(wantsThree);
        assertThat(wantsOne).isNotDone();
        semaphore(large, 3).give(3);
        Await.result(wantsOne);
        semaphore(small, 3).give();
        assertAllComeBack(3);
    }

    @Test
    void acquire_largeAheadIsInterrupted_smallIsLetIn() throws Exception {
        Purse a = semaphore(client(), 3);
        acquire(a, 2);
        Client large = client();
        Client small = client();
        Actor waiter = actor();
        Future<?> wantsThree =
                large.queueUp(waiter, name, () -> semaphore(large, 3).take(3));
        Future<?> wantsOne = queueUp(small, semaphore(small, 3), 1);

        waiter.interrupt();

        assertInterrupted(wantsThree);
        Await.result(wantsOne);
        a.give(2);
        semaphore(small, 3).give();
        assertAllComeBack(3);
    }

    @Test
    void acquire_largeAheadTimesOut_smallIsLetIn() throws Exception {
        Purse a = semaphore(client(), 3);
        acquire(a, 2);
        Client large = client();
        Client small = client();
        Future<?> wantsThree = large.queueUp(
                actor(),
                name,
                () -> assertThat(semaphore(large, 3).tryTake(3, 500, TimeUnit.MILLISECONDS))
                        .isFalse());
        Future<?> wantsOne = actor().begin(() -> semaphore(small, 3).take());

        Await.result(wantsThree);
        Await.result(wantsOne);
        a.give(2);
        semaphore(small, 3).give();
        assertAllComeBack(3);
    }

    @Test
    void acquireAsync_largeAheadIsCancelled_smallIsLetIn() throws Exception {
        Purse a = semaphore(client(), 3);
        acquire(a, 2);
        Client large = client();
        Client small = client();
        CompletableFuture<Permits> wantsThree = semaphore(large, 3).acquireAsync(3);
        large.events().await("contended " + name, 1);
        CompletableFuture<Permits> wantsOne = semaphore(small, 3).acquireAsync(1);
        small.events().await("contended " + name, 1);

        assertThat(wantsThree.cancel(true)).isTrue();

        Await.get(wantsOne).close();
        a.give(2);
        assertAllComeBack(3);
    }

    @Test
    void acquire_manyThreadsOfOneClientWait_allGetIn() throws Exception {
        Client a = client();
        Client b = client();
        acquire(semaphore(a, 2), 2);
        List<Future<?>> waiters = new ArrayList<>();
        for (Client client : List.of(a, b, a, b)) {
            waiters.add(queueUp(client, semaphore(client, 2), 1));
        }

        for (Future<?> ignored : waiters) {
            Await.until("a permit to give back", () -> givesOneBack(a) || givesOneBack(b));
        }

        waiters.forEach(Await::result);
        for (int i = 0; i < 2; i++) {
            Await.until("a permit to give back", () -> givesOneBack(a) || givesOneBack(b));
        }
        assertAllComeBack(2);
    }

    private boolean givesOneBack(Client client) {
        try {
            semaphore(client, 2).give();
            return true;
        } catch (IllegalMonitorStateException hasNone) {
            return false;
        }
    }

    @Test
    void acquire_interrupted_throwsClearsTheFlagAndLeavesTheQueue() throws Exception {
        Client a = client();
        Client b = client();
        Purse semaphore = semaphore(a, 1);
        Thread.currentThread().interrupt();
        assertThatThrownBy(semaphore::take).isInstanceOf(InterruptedException.class);
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> semaphore.tryTake(1, TimeUnit.DAYS)).isInstanceOf(InterruptedException.class);
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> semaphore.tryTake(0, TimeUnit.DAYS)).isInstanceOf(InterruptedException.class);
        Thread.currentThread().interrupt();
        assertThatThrownBy(semaphore::acquire).isInstanceOf(InterruptedException.class);
        assertThat(Thread.interrupted()).isFalse();
        assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(semaphore::give);

        acquire(semaphore, 1);
        for (Client client : List.of(a, b)) {
            Purse wanted = semaphore(client, 1);
            for (Actor.Action waiting : List.<Actor.Action>of(
                    wanted::take,
                    wanted::acquire,
                    () -> wanted.tryTake(1, TimeUnit.DAYS),
                    () -> wanted.tryAcquire(1, Duration.ofDays(1)))) {
                Actor waiter = actor();
                Future<?> interrupted = client.queueUp(waiter, name, waiting);
                waiter.interrupt();
                assertInterrupted(interrupted);
            }
        }
        semaphore.give();
        assertAllComeBack(1);
    }

    @Test
    void tryAcquire_interrupted_isNotEndedByIt() throws Exception {
        Purse semaphore = semaphore(client(), 1);
        Thread.currentThread().interrupt();

        assertThat(semaphore.tryTake()).isTrue();

        assertThat(Thread.interrupted()).isTrue();
        semaphore.give();
    }

    @Test
    void tryAcquire_timePasses_isFalseNotBeforeAndLeavesTheQueue() throws Exception {
        Client a = client();
        Client b = client();
        acquire(semaphore(a, 2), 1);
        for (Client client : List.of(a, b)) {
            Purse semaphore = semaphore(client, 2);
            long start = System.nanoTime();

            assertThat(semaphore.tryTake(2, 30, TimeUnit.MILLISECONDS)).isFalse();

            assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(30));
            for (long none : new long[] {0, -1, Long.MIN_VALUE}) {
                assertThat(semaphore.tryTake(2, none, TimeUnit.DAYS)).isFalse();
            }
        }
        semaphore(a, 2).give();
        assertAllComeBack(2);
    }

    @Test
    void tryAcquire_givenBackInTime_isTrue() throws Exception {
        Client a = client();
        Client b = client();
        acquire(semaphore(a, 1), 1);
        Future<?> acquired = b.queueUp(
                actor(),
                name,
                () -> assertThat(semaphore(b, 1).tryTake(Long.MAX_VALUE, TimeUnit.DAYS))
                        .isTrue());

        semaphore(a, 1).give();

        Await.result(acquired);
        semaphore(b, 1).give();
        assertAllComeBack(1);
    }

    @Test
    void acquireAsync_inUse_completesWhenGivenBack() throws Exception {
        Client a = client();
        Client b = client();
        LockHandle held = semaphore(a, 2).acquire(2);
        CompletableFuture<Permits> waiting = semaphore(b, 2).acquireAsync(2);
        b.events().await("contended " + name, 1);
        CompletableFuture<Optional<Permits>> timed = semaphore(a, 2).tryAcquireAsync(1, Duration.ofDays(1));
        assertThat(waiting).isNotDone();
        assertThat(timed).isNotDone();

        held.close();

        Await.get(waiting).close();
        Await.get(timed).orElseThrow().close();
        assertAllComeBack(2);
    }

    @Test
    void acquireAsync_completedBySomebodyElseBeforeItIsHandedOver_givesThePermitsBack() throws Exception {
        completeBeforeHandOver(client -> semaphore(client, 2).acquireAsync(2));
        completeBeforeHandOver(client -> semaphore(client, 2).tryAcquireAsync(2, Duration.ofDays(1)));
        assertAllComeBack(2);
    }

    @Test
    void close_whileWaitedFor_waitersFail() throws Exception {
        Client holder = client();
        Client closing = client();
        acquire(semaphore(holder, 1), 1);
        Purse semaphore = semaphore(closing, 1);
        Future<?> blocking = queueUp(closing, semaphore, 1);
        CompletableFuture<Permits> async = semaphore.acquireAsync(1);
        closing.events().await("contended " + name, 2);

        closing.client().close();

        assertThatExceptionOfType(LockClientClosedException.class).isThrownBy(() -> Await.result(blocking));
        for (CompletableFuture<?> future : List.of(async, semaphore.acquireAsync(1))) {
            assertThatExceptionOfType(CompletionException.class)
                    .isThrownBy(() -> future.orTimeout(Await.patience().toSeconds(), TimeUnit.SECONDS)
                            .join())
                    .withCauseInstanceOf(LockClientClosedException.class);
        }
        semaphore(holder, 1).give();
        assertAllComeBack(1);
    }
}
