package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.wellkeeper.DistributedCondition;
import io.wellkeeper.DistributedLock;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockLostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** {@link DistributedCondition} for holders with a handle. */
abstract class ConditionAsyncContract extends ConditionKit {

    private static final Duration LONG = Duration.ofMinutes(5);

    private DistributedLock lock(Client client) {
        client.queues();
        return client.lock(name);
    }

    private DistributedCondition conditionOf(Client client) {
        return lock(client).newCondition(CONDITION);
    }

    private LockHandle acquire(Client client) throws InterruptedException {
        return lock(client).tryAcquire(Await.patience()).orElseThrow();
    }

    /** Begins to wait on the condition; when this returns, the waiter has given the lock up. */
    private CompletableFuture<LockHandle> waitAsync(Client client) throws Exception {
        CompletableFuture<LockHandle> waiting = conditionOf(client).awaitAsync(acquire(client));
        acquire(client).close();
        return waiting;
    }

    private void signalAsync(Client client) throws Exception {
        try (LockHandle held = acquire(client)) {
            Await.get(conditionOf(client).signalAsync(held));
        }
    }

    @Test
    void awaitAsync_signalled_hasTheLockAgain() throws Exception {
        Client a = client();
        Client b = client();
        LockHandle first = acquire(a);
        CompletableFuture<LockHandle> waiting = conditionOf(a).awaitAsync(first);
        LockHandle between = acquire(b);
        assertThat(first.isHeld()).isFalse();
        first.close();

        Await.get(conditionOf(b).signalAsync(between));
        assertThat(waiting).isNotDone();
        between.close();

        LockHandle again = Await.get(waiting);
        assertThat(again.fencingToken()).isPositive();
        assertThat(lock(b).tryAcquire()).isEmpty();
        again.close();
        assertComesFree(name);
    }

    @Test
    void awaitAsync_signalledByAThread_isWokenInOrder() throws Exception {
        Client a = client();
        Client b = client();
        CompletableFuture<LockHandle> first = waitAsync(a);
        Sleeper second = sleep(b, "second");
        CompletableFuture<LockHandle> third = waitAsync(a);

        signal(b);
        Await.get(first).close();
        assertThat(second.isAwake()).isFalse();
        signalAsync(a);
        second.awaitAwake();
        assertThat(third).isNotDone();
        signal(a);
        Await.get(third).close();

        assertComesFree(name);
    }

    @Test
    void signalAllAsync_many_allAreWoken() throws Exception {
        Client a = client();
        Client b = client();
        List<CompletableFuture<Void>> waiting = new ArrayList<>();
        for (Client client : List.of(a, b, a)) {
            waiting.add(waitAsync(client).thenAccept(LockHandle::close));
        }

        try (LockHandle held = acquire(b)) {
            Await.get(conditionOf(b).signalAllAsync(held));
        }

        waiting.forEach(Await::get);
        assertComesFree(name);
    }

    @Test
    void awaitAsync_timePasses_hasTheLockAgain() throws Exception {
        Client a = client();
        LockHandle held = acquire(a);

        LockHandle again = Await.get(conditionOf(a).awaitAsync(held, Duration.ofMillis(50)));

        assertThat(again.isHeld()).isTrue();
        again.close();
        assertThat(held.isHeld()).isFalse();
        assertComesFree(name);
    }

    /** However short the timeout is, the lock is given up and acquired again, with another handle. */
    @Test
    void awaitAsync_hardlyAnyTime_comesBackWithAnotherHandle() throws Exception {
        Client a = client();
        for (Duration hardlyAny : List.of(Duration.ZERO, Duration.ofSeconds(-1), Duration.ofNanos(1))) {
            LockHandle held = acquire(a);
            long before = held.fencingToken();
            LockHandle again = Await.get(conditionOf(a).awaitAsync(held, hardlyAny));
            assertThat(again.fencingToken()).isGreaterThan(before);
            assertThat(held.isHeld()).isFalse();
            again.close();
        }
        assertComesFree(name);
    }

    @Test
    void awaitAsync_hardlyAnyTimeAgainAndAgain_othersGetIn() throws Exception {
        Client a = client();
        Client b = client();
        for (Client visitor : List.of(a, b)) {
            for (Duration hardlyAny : List.of(Duration.ZERO, Duration.ofNanos(1))) {
                AtomicBoolean ready = new AtomicBoolean();
                CompletableFuture<LockHandle> waiting = waitUntil(ready, conditionOf(a), acquire(a), hardlyAny);

                acquire(visitor).close();

                assertThat(waiting).isNotDone();
                ready.set(true);
                Await.get(waiting).close();
            }
        }
        assertComesFree(name);
    }

    private static CompletableFuture<LockHandle> waitUntil(
            AtomicBoolean ready, DistributedCondition condition, LockHandle held, Duration timeout) {
        return ready.get()
                ? CompletableFuture.completedFuture(held)
                : condition.awaitAsync(held, timeout).thenCompose(again -> waitUntil(ready, condition, again, timeout));
    }

    @Test
    void awaitAsync_cancelled_passesTheSignalOn() throws Exception {
        Client a = client();
        Client b = client();
        CompletableFuture<LockHandle> first = waitAsync(a);
        CompletableFuture<LockHandle> second = waitAsync(b);
        LockHandle held = acquire(b);
        Await.get(conditionOf(b).signalAsync(held));

        first.cancel(false);
        held.close();

        Await.get(second).close();
        assertComesFree(name);
    }

    /** The work after one wait may take as long as it likes: the next waiter needs only the lock and a signal. */
    @Test
    void awaitAsync_whatFollowsTakesItsTime_theNextIsWokenMeanwhile() throws Exception {
        Client a = client();
        Client b = client();
        CompletableFuture<Void> begun = new CompletableFuture<>();
        CompletableFuture<Void> mayGoOn = new CompletableFuture<>();
        CompletableFuture<Void> first = waitAsync(a).thenAccept(handle -> {
            handle.close();
            begun.complete(null);
            Await.get(mayGoOn);
        });
        CompletableFuture<LockHandle> second = waitAsync(b);
        signalAsync(b);
        Await.get(begun);

        signalAsync(b);
        Await.get(second).close();

        assertThat(first).isNotDone();
        mayGoOn.complete(null);
        Await.get(first);
        assertComesFree(name);
    }

    /** At whatever moment a waiter is cancelled, each signal reaches a waiter that is not. */
    @Test
    void awaitAsync_cancelledAtAnyMoment_losesNoSignal() throws Exception {
        Client a = client();
        Client b = client();
        for (int i = 0; i < 20; i++) {
            CompletableFuture<LockHandle> first = waitAsync(a);
            CompletableFuture<LockHandle> second = waitAsync(b);
            signalAsync(b);
            if (i % 2 == 0) {
                Await.get(CompletableFuture.anyOf(first, second));
            }
            if (first.cancel(false)) {
                Await.get(second).close();
            } else {
                Await.get(first).close();
                signalAsync(a);
                Await.get(second).close();
            }
        }
        assertComesFree(name);
    }

    @Test
    void awaitAsync_cancelledAtOnce_handleIsStillToBeClosed() throws Exception {
        Client a = client();
        LockHandle held = acquire(a);
        CompletableFuture<LockHandle> waiting = conditionOf(a).awaitAsync(held);

        waiting.cancel(false);
        held.close();

        assertComesFree(name);
    }

    @Test
    void awaitAsync_handleIsNotHeld_isRefused() throws Exception {
        Client a = client();
        LockHandle closed = acquire(a);
        closed.close();
        DistributedCondition condition = conditionOf(a);
        assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(() -> condition.awaitAsync(closed));
        assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(() -> condition.signalAsync(closed));
    }

    @Test
    void awaitAsync_handleOfAnotherLockOrClient_isRefused() throws Exception {
        Client a = client();
        Client b = client();
        DistributedCondition condition = conditionOf(a);
        try (LockHandle other = a.lock(name + "-other").acquire();
                LockHandle stranger = acquire(b)) {
            for (LockHandle wrong : List.of(other, stranger)) {
                assertThatExceptionOfType(IllegalArgumentException.class)
                        .isThrownBy(() -> condition.awaitAsync(wrong))
                        .withMessageContaining("'" + name + "'");
                assertThatExceptionOfType(IllegalArgumentException.class)
                        .isThrownBy(() -> condition.signalAllAsync(wrong));
            }
        }
        try (LockHandle reading = a.queues().readWriteLock(name).readLock().acquire()) {
            assertThatExceptionOfType(IllegalArgumentException.class).isThrownBy(() -> condition.awaitAsync(reading));
        }
    }

    @Test
    void lose_beforeTheLockIsGivenUp_saysSo() throws Exception {
        Client loser = mortalClient();
        LockHandle held = acquire(loser);
        DistributedCondition condition = conditionOf(loser);
        fixture.cut(loser.client());

        CompletableFuture<LockHandle> waiting = condition.awaitAsync(held);

        assertThat((Future<?>) waiting)
                .failsWithin(Await.patience())
                .withThrowableOfType(ExecutionException.class)
                .withCauseInstanceOf(LockLostException.class);
        assertComesFree(name);
    }

    @Test
    void lose_whileWaiting_comesBackWithTheLock() throws Exception {
        Client loser = client();
        CompletableFuture<LockHandle> waiting = waitAsync(loser);

        fixture.lose(loser.client());

        LockHandle again = Await.get(waiting);
        assertThat(again.isHeld()).isTrue();
        again.close();
        assertComesFree(name);
    }

    @Test
    void close_theClient_endsTheWait() throws Exception {
        Client a = client();
        CompletableFuture<LockHandle> waiting = conditionOf(a).awaitAsync(acquire(a), LONG);

        a.client().close();

        assertThat((Future<?>) waiting).failsWithin(Await.patience());
    }
}
