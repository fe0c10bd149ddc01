package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.wellkeeper.DistributedLock;
import io.wellkeeper.LockClientClosedException;
import io.wellkeeper.LockHandle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** Handles, which belong to no thread, and acquisitions that block no thread. */
abstract class AsyncContract extends LockKit {

    @Test
    void acquire_free_handleIsBoundToNoThread() throws Exception {
        DistributedLock lock = client().lock(name);
        LockHandle handle = lock.acquire();

        assertThat(handle.name()).isEqualTo(name);
        assertThat(handle.isHeld()).isTrue();
        assertThat(handle.remaining()).isPositive();
        handle.checkHeld();
        assertThat(lock.isHeldByCurrentThread()).isFalse();
        assertThat(lock.getHoldCount()).isZero();
        assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::unlock);
        assertThat(lock.tryLock()).isFalse();
        assertThat(lock.tryAcquire()).isEmpty();

        actor().run(handle::close);
        assertThat(handle.isHeld()).isFalse();
        assertThat(handle.remaining()).isZero();
        assertComesFree(name);
    }

    @Test
    void close_again_doesNothing() throws Exception {
        DistributedLock lock = client().lock(name);
        LockHandle first = lock.acquire();
        first.close();
        LockHandle second = lock.acquire();

        first.close();
        first.close();

        assertThat(first.isHeld()).isFalse();
        assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(first::checkHeld);
        assertThat(second.isHeld()).isTrue();
        assertThat(client().lock(name).tryAcquire()).isEmpty();
        second.close();
    }

    @Test
    void fencingToken_ofHandles_grows() throws Exception {
        Assumptions.assumeTrue(fixture.hasTokens(), "this store has no fencing token");
        DistributedLock lock = client().lock(name);
        LockHandle first = lock.acquire();
        long token = first.fencingToken();
        assertThat(first.fencingToken()).isEqualTo(token).isPositive();
        CompletableFuture<LockHandle> second = lock.acquireAsync();
        first.close();

        assertThat(Await.get(second).fencingToken()).isGreaterThan(token);
        assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(first::fencingToken);
        Await.get(second).close();
    }

    @Test
    void tryAcquire_takenOrFree_doesNotWait() throws Exception {
        DistributedLock lock = client().lock(name);
        DistributedLock other = client().lock(name);
        LockHandle handle = lock.tryAcquire().orElseThrow();

        assertThat(other.tryAcquire()).isEmpty();
        assertThat(other.tryAcquire(Duration.ofMillis(20))).isEmpty();
        assertThat(other.tryAcquire(Duration.ZERO)).isEmpty();
        assertThat(other.tryAcquire(Duration.ofSeconds(Long.MIN_VALUE))).isEmpty();
        assertThat(Await.get(other.tryAcquireAsync(Duration.ofMillis(20)))).isEmpty();
        assertThat(Await.get(other.tryAcquireAsync(Duration.ZERO))).isEmpty();
        handle.close();
        assertComesFree(name);
        other.tryAcquire(Duration.ofSeconds(Long.MAX_VALUE)).orElseThrow().close();
        assertComesFree(name);
        Await.get(other.tryAcquireAsync(Duration.ofDays(1))).orElseThrow().close();
    }

    @Test
    void acquire_interrupted_leavesTheQueue() throws Exception {
        Client client = client();
        LockHandle handle = client.lock(name).acquire();
        Actor waiter = actor();
        Future<?> waiting = client.queueUp(waiter, name, () -> client.lock(name).acquire());

        waiter.interrupt();

        assertThat(waiting)
                .failsWithin(Await.patience())
                .withThrowableThat()
                .withCauseInstanceOf(InterruptedException.class);
        handle.close();
        assertComesFree(name);
    }

    @Test
    void acquireAsync_taken_completesWhenReleased() throws Exception {
        Client a = client();
        Client b = client();
        LockHandle held = a.lock(name).acquire();
        CompletableFuture<LockHandle> remote = b.lock(name).acquireAsync();
        b.events().await("contended " + name, 1);
        CompletableFuture<LockHandle> local = a.lock(name).acquireAsync();
        CompletableFuture<Optional<LockHandle>> timed = b.lock(name).tryAcquireAsync(Duration.ofDays(1));
        assertThat(remote).isNotDone();
        assertThat(local).isNotDone();

        held.close();

        CompletableFuture<?> closedRemote = remote.thenAccept(LockHandle::close);
        CompletableFuture<?> closedLocal = local.thenAccept(LockHandle::close);
        CompletableFuture<?> closedTimed =
                timed.thenAccept(handle -> handle.orElseThrow().close());
        Await.get(CompletableFuture.allOf(closedRemote, closedLocal, closedTimed));
        assertComesFree(name);
    }

    @Test
    void acquireAsync_cancelled_leavesTheQueue() throws Exception {
        assertLeavesTheQueue(future -> assertThat(future.cancel(false)).isTrue());
    }

    @Test
    void acquireAsync_completedBySomebodyElse_leavesTheQueue() throws Exception {
        assertLeavesTheQueue(future -> future.completeExceptionally(new IllegalStateException("no longer wanted")));
        assertLeavesTheQueue(future -> future.orTimeout(0, TimeUnit.SECONDS));
    }

    @Test
    void acquireAsync_completedBySomebodyElseBeforeItIsHandedOver_isHeldByNobody() throws Exception {
        completeBeforeHandOver(client -> client.lock(name).acquireAsync());
        completeBeforeHandOver(client -> client.lock(name).tryAcquireAsync(Duration.ofDays(1)));
        assertComesFree(name);
    }

    private void assertLeavesTheQueue(Consumer<CompletableFuture<LockHandle>> end) throws Exception {
        Client a = client();
        Client b = client();
        LockHandle held = a.lock(name).acquire();
        for (Client client : List.of(a, b)) {
            int before = client.events().count("contended " + name);
            CompletableFuture<LockHandle> future = client.lock(name).acquireAsync();
            client.events().await("contended " + name, before + 1);
            end.accept(future);
            Await.until("end of the future", future::isCompletedExceptionally);
        }
        CompletableFuture<LockHandle> next = client().lock(name).acquireAsync();

        held.close();

        Await.get(next).close();
    }

    @Test
    void acquireAsync_cancelledWhileLetIn_isHeldByOneOrByNobody() throws Exception {
        DistributedLock lock = client().lock(name);
        DistributedLock other = client().lock(name);
        Actor canceller = actor();
        for (int i = 0; i < 50; i++) {
            LockHandle held = lock.acquire();
            CompletableFuture<LockHandle> local = lock.acquireAsync();
            CompletableFuture<LockHandle> remote = other.acquireAsync();
            Future<?> cancelled = canceller.begin(() -> {
                local.cancel(true);
                remote.cancel(true);
            });
            held.close();
            Await.result(cancelled);
            for (CompletableFuture<LockHandle> future : List.of(local, remote)) {
                if (!future.isCancelled()) {
                    Await.get(future).close();
                }
            }
        }
        assertComesFree(name);
    }

    @Test
    void acquireAsync_cancelledAfterwards_staysHeld() throws Exception {
        CompletableFuture<LockHandle> future = client().lock(name).acquireAsync();
        LockHandle handle = Await.get(future);

        assertThat(future.cancel(true)).isFalse();

        assertThat(handle.isHeld()).isTrue();
        handle.close();
    }

    @Test
    void acquireAsync_anyOutcome_comesOnTheCallbackExecutor() throws Exception {
        ThreadLocal<Boolean> callback = ThreadLocal.withInitial(() -> false);
        try (Actor executor = new Actor()) {
            executor.run(() -> callback.set(true));
            Client holder = client();
            Client client = client(options().callbackExecutor(task -> executor.begin(task::run)));
            LockHandle held = holder.lock(name).acquire();
            CompletableFuture<Boolean> async = client.lock(name).acquireAsync().thenApply(handle -> {
                handle.close();
                return callback.get();
            });
            client.events().await("contended " + name, 1);
            held.close();

            assertThat(Await.get(async)).isTrue();
            client.client().close();
        }
    }

    @Test
    void acquireAsync_clientCloses_fails() throws Exception {
        Client holder = client();
        Client closing = client();
        LockHandle held = holder.lock(name).acquire();
        CompletableFuture<LockHandle> waiting = closing.lock(name).acquireAsync();
        CompletableFuture<Optional<LockHandle>> timed = closing.lock(name).tryAcquireAsync(Duration.ofDays(1));
        closing.events().await("contended " + name, 2);
        DistributedLock lock = closing.lock(name);

        closing.client().close();

        for (CompletableFuture<?> future : List.of(waiting, timed, lock.acquireAsync())) {
            assertThatExceptionOfType(CompletionException.class)
                    .isThrownBy(() -> future.orTimeout(Await.patience().toSeconds(), TimeUnit.SECONDS)
                            .join())
                    .withCauseInstanceOf(LockClientClosedException.class);
        }
        held.close();
    }

    @Test
    void withLockAsync_taken_actsWhenReleasedAndReleases() throws Exception {
        LockHandle held = client().lock(name).acquire();
        Client client = client();
        CompletableFuture<String> action = new CompletableFuture<>();
        CompletableFuture<LockHandle> begun = new CompletableFuture<>();
        CompletableFuture<String> done = client.lock(name).withLockAsync(handle -> {
            begun.complete(handle);
            return action;
        });
        client.events().await("contended " + name, 1);
        assertThat(begun).isNotDone();

        held.close();

        LockHandle mine = Await.get(begun);
        assertThat(mine.isHeld()).isTrue();
        assertThat(client().lock(name).tryAcquire()).isEmpty();
        assertThat(done).isNotDone();
        action.complete("done");
        assertThat(Await.get(done)).isEqualTo("done");
        assertThat(mine.isHeld()).isFalse();
        assertComesFree(name);
    }

    @Test
    void onLost_closedBefore_isNotRun() throws Exception {
        Client client = client();
        LockHandle handle = client.lock(name).acquire();
        List<String> told = new ArrayList<>();
        handle.onLost(() -> told.add("before"));
        handle.close();
        handle.onLost(() -> told.add("after"));

        client.client().close();

        assertThat(told).isEmpty();
    }
}
