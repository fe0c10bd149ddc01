package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.wellkeeper.DistributedLatch;
import io.wellkeeper.LockClientClosedException;
import io.wellkeeper.LockStoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * {@link DistributedLatch}: the promises of {@link java.util.concurrent.CountDownLatch} to its threads, for processes
 * that come and go.
 */
abstract class LatchContract extends LockKit {

    private static final int CROWD = 16; // more waiters of one client than ask by themselves; the others share answers

    private DistributedLatch latch(Client client) {
        return client.queues().latch(name);
    }

    private DistributedLatch closedLatch(Client client, long count) {
        DistributedLatch latch = latch(client);
        assertThat(latch.trySetCount(count)).isTrue();
        return latch;
    }

    private void countDown(DistributedLatch latch, int times) {
        for (int i = 0; i < times; i++) {
            latch.countDown();
        }
    }

    @Test
    void latch_badName_isRefused() throws Exception {
        Client client = client();
        for (String bad : List.of("", "a\0b", "x".repeat(513))) {
            assertThatExceptionOfType(IllegalArgumentException.class)
                    .isThrownBy(() -> client.queues().latch(bad));
        }
        assertThat(latch(client).name()).isEqualTo(name);
    }

    @Test
    void await_countWasNeverSet_returnsAtOnce() throws Exception {
        DistributedLatch latch = latch(client());
        assertThat(latch.getCount()).isZero();

        actor().run(latch::await);
        assertThat(latch.await(0, TimeUnit.SECONDS)).isTrue();
        assertThat(latch.await(1, TimeUnit.DAYS)).isTrue();
        Await.get(latch.awaitAsync());
        assertThat(Await.get(latch.awaitAsync(Duration.ofDays(1)))).isTrue();
        latch.countDown();
        assertThat(latch.getCount()).isZero();
        latch.delete();
        assertThat(latch.getCount()).isZero();
    }

    @Test
    void trySetCount_badCount_isRefused() throws Exception {
        DistributedLatch latch = latch(client());
        for (long bad : new long[] {0, -1, Long.MIN_VALUE}) {
            assertThatExceptionOfType(IllegalArgumentException.class).isThrownBy(() -> latch.trySetCount(bad));
        }
        assertThat(latch.getCount()).isZero();
    }

    @Test
    void trySetCount_closedAlready_isFalseAndChangesNothing() throws Exception {
        Client a = client();
        Client b = client();
        closedLatch(a, 3);

        for (Client client : List.of(a, b)) {
            for (long count : new long[] {3, 5}) {
                assertThat(latch(client).trySetCount(count)).isFalse();
            }
            assertThat(latch(client).getCount()).isEqualTo(3);
        }

        countDown(latch(b), 3);
        assertThat(latch(a).trySetCount(Long.MAX_VALUE)).isTrue();
        assertThat(latch(b).getCount()).isEqualTo(Long.MAX_VALUE);
        latch(b).countDown();
        assertThat(latch(a).getCount()).isEqualTo(Long.MAX_VALUE - 1);
        latch(a).delete();
    }

    @Test
    void trySetCount_byManyAtOnce_isTrueForOne() throws Exception {
        List<Future<Boolean>> setting = new ArrayList<>();
        for (int count = 1; count <= 4; count++) {
            DistributedLatch latch = latch(client());
            int mine = count;
            setting.add(actor().start(() -> latch.trySetCount(mine)));
        }
        List<Integer> winners = new ArrayList<>();
        for (int i = 0; i < setting.size(); i++) {
            if (Await.result(setting.get(i))) {
                winners.add(i + 1);
            }
        }

        assertThat(winners).hasSize(1);
        DistributedLatch latch = latch(client());
        assertThat(latch.getCount()).isEqualTo(winners.get(0).longValue());
        latch.delete();
    }

    @Test
    void countDown_byAnyClient_theLastOneLetsEverybodyGoOn() throws Exception {
        Client a = client();
        Client b = client();
        AtomicBoolean last = new AtomicBoolean();
        closedLatch(a, 3);
        List<Future<?>> waiting = new ArrayList<>();
        for (Client client : List.of(a, b, client(), a)) {
            waiting.add(actor().begin(() -> {
                latch(client).await();
                assertThat(last).isTrue();
            }));
            waiting.add(latch(client).awaitAsync());
        }

        latch(b).countDown();
        latch(a).countDown();
        assertThat(latch(b).getCount()).isEqualTo(1);
        assertThat(waiting).noneMatch(Future::isDone);
        last.set(true);
        latch(b).countDown();

        waiting.forEach(Await::result);
        assertThat(latch(a).getCount()).isZero();
        assertThat(a.queues().admin().names(name)).isEmpty();
    }

    @Test
    void countDown_byManyAtOnce_countsEachOne() throws Exception {
        AtomicLong counted = new AtomicLong();
        List<Client> clients = List.of(client(), client(), client());
        closedLatch(clients.get(0), 60);
        Future<?> waiting = actor().begin(() -> {
            latch(clients.get(1)).await();
            assertThat(counted.get()).isGreaterThanOrEqualTo(60);
        });
        List<Future<?>> counting = new ArrayList<>();
        for (Client client : clients) {
            for (int thread = 0; thread < 2; thread++) {
                counting.add(actor().begin(() -> {
                    for (int i = 0; i < 10; i++) {
                        counted.incrementAndGet();
                        latch(client).countDown();
                    }
                }));
            }
        }

        counting.forEach(Await::result);
        Await.result(waiting);
        assertThat(latch(clients.get(2)).getCount()).isZero();
    }

    @Test
    void countDown_clientIsGone_hasCounted() throws Exception {
        Client setting = client();
        Client counting = client();
        Client waiting = client();
        closedLatch(setting, 2);
        Future<?> waiter = actor().begin(latch(waiting)::await);
        setting.client().close();
        latch(counting).countDown();
        counting.client().close();

        assertThat(latch(waiting).getCount()).isEqualTo(1);
        fixture.lose(waiting.client());
        Client last = client();
        assertThat(latch(last).getCount()).isEqualTo(1);
        assertThat(waiter).isNotDone();
        latch(last).countDown();

        Await.result(waiter);
    }

    @Test
    void trySetCount_again_waitersOfTheNextCountWaitForIt() throws Exception {
        Client a = client();
        Client b = client();
        for (int round = 0; round < 5; round++) {
            closedLatch(a, 1);
            AtomicBoolean open = new AtomicBoolean();
            Future<?> waiting = actor().begin(() -> {
                latch(b).await();
                assertThat(open).isTrue();
            });
            assertThat(latch(b).getCount()).isEqualTo(1);
            open.set(true);
            latch(a).countDown();
            Await.result(waiting);
        }
    }

    @Test
    void trySetCount_beforeWaitersHaveSeenTheLatchOpen_theyGoOn() throws Exception {
        Client slow = mortalClient();
        Client other = client();
        DistributedLatch latch = closedLatch(other, 1);
        List<CompletableFuture<Boolean>> waiters = Stream.generate(
                        () -> latch(slow).awaitAsync(Duration.ofDays(1)))
                .limit(CROWD)
                .toList();
        assertThat(latch(slow).getCount()).isEqualTo(1); // this is answered after the waiters' questions
        fixture.cut(slow.client());
        latch.countDown();
        assertThat(latch.trySetCount(1)).isTrue();
        latch.delete();
        assertThat(latch.trySetCount(1)).isTrue();

        fixture.mend(slow.client());

        for (CompletableFuture<Boolean> waiter : waiters) {
            assertThat(Await.get(waiter)).isTrue();
        }
        assertThat(latch.await(0, TimeUnit.SECONDS)).isFalse();
        latch.delete();
    }

    @Test
    void delete_closed_everybodyGoesOn() throws Exception {
        Client a = client();
        Client b = client();
        closedLatch(a, 100);
        Future<?> blocking = actor().begin(latch(a)::await);
        CompletableFuture<Boolean> timed = latch(b).awaitAsync(Duration.ofDays(1));

        latch(b).delete();

        Await.result(blocking);
        assertThat(Await.get(timed)).isTrue();
        assertThat(latch(a).getCount()).isZero();
        latch(a).countDown();
        assertThat(latch(a).trySetCount(1)).isTrue();
        latch(a).delete();
    }

    @Test
    void await_timePasses_isFalseNotBefore() throws Exception {
        DistributedLatch latch = closedLatch(client(), 1);
        long start = System.nanoTime();

        assertThat(latch.await(30, TimeUnit.MILLISECONDS)).isFalse();

        assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(30));
        for (long none : new long[] {0, -1, Long.MIN_VALUE}) {
            assertThat(latch.await(none, TimeUnit.DAYS)).isFalse();
        }
        assertThat(Await.get(latch.awaitAsync(Duration.ofMillis(20)))).isFalse();
        assertThat(Await.get(latch.awaitAsync(Duration.ZERO))).isFalse();
        Future<Boolean> inTime = actor().start(() -> latch.await(Long.MAX_VALUE, TimeUnit.DAYS));
        latch.countDown();
        assertThat(Await.result(inTime)).isTrue();
    }

    @Test
    void await_interrupted_throwsAndClearsTheFlag() throws Exception {
        DistributedLatch latch = closedLatch(client(), 1);
        Thread.currentThread().interrupt();
        assertThatThrownBy(latch::await).isInstanceOf(InterruptedException.class);
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> latch.await(1, TimeUnit.DAYS)).isInstanceOf(InterruptedException.class);
        assertThat(Thread.interrupted()).isFalse();
        for (Actor.Action waiting : List.<Actor.Action>of(latch::await, () -> latch.await(1, TimeUnit.DAYS))) {
            AtomicBoolean begun = new AtomicBoolean();
            Actor waiter = actor();
            Future<?> interrupted = waiter.begin(() -> {
                begun.set(true);
                waiting.run();
            });
            Await.until("a thread about to wait", begun::get);

            waiter.interrupt();

            assertInterrupted(interrupted);
        }
        latch.delete();
    }

    @Test
    void awaitAsync_cancelled_leavesNothing() throws Exception {
        Client client = client();
        DistributedLatch latch = closedLatch(client, 1);
        CompletableFuture<Void> cancelled = latch.awaitAsync();
        CompletableFuture<Boolean> timed = latch.awaitAsync(Duration.ofDays(1));
        CompletableFuture<Void> kept = latch.awaitAsync();

        assertThat(cancelled.cancel(true)).isTrue();
        assertThat(timed.cancel(true)).isTrue();

        latch.countDown();
        Await.get(kept);
    }

    @Test
    void await_clientCloses_fails() throws Exception {
        Client closing = client();
        Client other = client();
        DistributedLatch latch = closedLatch(other, 1);
        AtomicBoolean begun = new AtomicBoolean();
        Future<?> waiting = actor().begin(() -> {
            begun.set(true);
            latch(closing).await();
        });
        CompletableFuture<Void> async = latch(closing).awaitAsync();
        Await.until("a thread about to wait", begun::get);

        closing.client().close();

        assertThatExceptionOfType(LockClientClosedException.class).isThrownBy(() -> Await.result(waiting));
        assertThatExceptionOfType(LockClientClosedException.class).isThrownBy(() -> Await.get(async));
        latch.countDown();
    }

    @Test
    void await_clientIsClosed_failsAtOnce() throws Exception {
        Client closed = client();
        DistributedLatch latch = closedLatch(client(), 1);
        DistributedLatch late = latch(closed);
        closed.client().close();

        assertThatExceptionOfType(LockClientClosedException.class).isThrownBy(() -> actor().run(late::await));
        assertThatExceptionOfType(LockClientClosedException.class).isThrownBy(() -> Await.get(late.awaitAsync()));
        latch.countDown();
    }

    @Test
    void await_cutOffWhenItOpens_goesOnAfterwards() throws Exception {
        Client loser = mortalClient();
        Client other = client();
        DistributedLatch latch = closedLatch(other, 1);
        Future<?> waiting = actor().begin(latch(loser)::await);
        assertThat(latch(loser).getCount()).isEqualTo(1);
        fixture.cut(loser.client());
        latch.countDown();

        fixture.mend(loser.client());

        Await.result(waiting);
    }

    @Test
    void anyMethod_storeIsSilent_failsInTime() throws Exception {
        DistributedLatch latch = latch(impatientClient());
        fixture.pause();

        List<Future<@Nullable Void>> all =
                List.of(actor().begin(latch::getCount), actor().begin(latch::countDown), actor().begin(latch::delete));
        for (Future<@Nullable Void> each : all) {
            assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> Await.result(each));
        }
        fixture.resume();
    }
}
