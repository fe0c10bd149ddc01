package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.wellkeeper.DistributedLock;
import io.wellkeeper.DistributedReadWriteLock;
import io.wellkeeper.LockClientClosedException;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockStoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** {@link DistributedReadWriteLock}: how a wait for each of its views ends. */
abstract class ReadWriteWaitingContract extends ReadWriteKit {

    @Test
    void lockInterruptibly_interrupted_leavesTheQueue() throws Exception {
        Client a = client();
        Client b = client();
        Visitor writer = enter(write(a));
        for (Function<DistributedReadWriteLock, DistributedLock> view : VIEWS) {
            for (Client client : List.of(a, b)) {
                DistributedLock wanted = view.apply(views(client));
                Actor waiter = actor();
                Future<?> waiting = client.queueUp(waiter, name, wanted::lockInterruptibly);

                waiter.interrupt();

                assertInterrupted(waiting);
                assertThat(waiter.call(wanted::isHeldByCurrentThread)).isFalse();
                Thread.currentThread().interrupt();
                assertThatThrownBy(wanted::lockInterruptibly).isInstanceOf(InterruptedException.class);
                assertThat(Thread.interrupted()).isFalse();
            }
        }
        writer.leave();
        assertComesFree(name);
    }

    @Test
    void lock_interrupted_acquiresAndKeepsTheFlag() throws Exception {
        Client a = client();
        Client b = client();
        for (Function<DistributedReadWriteLock, DistributedLock> view : VIEWS) {
            Visitor writer = enter(write(a));
            DistributedLock wanted = view.apply(views(b));
            Actor waiter = actor();
            Future<?> acquired = b.queueUp(waiter, name, () -> {
                wanted.lock();
                assertThat(Thread.interrupted()).isTrue();
            });

            waiter.interrupt();
            writer.leave();

            Await.result(acquired);
            waiter.run(wanted::unlock);
        }
    }

    @Test
    void tryLock_timePasses_isFalseNotBeforeAndLeavesTheQueue() throws Exception {
        Client a = client();
        Client b = client();
        Visitor writer = enter(write(a));
        for (Function<DistributedReadWriteLock, DistributedLock> view : VIEWS) {
            for (Client client : List.of(a, b)) {
                DistributedLock wanted = view.apply(views(client));
                long start = System.nanoTime();

                assertThat(wanted.tryLock(20, TimeUnit.MILLISECONDS)).isFalse();

                assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(20));
                assertThat(wanted.tryLock(0, TimeUnit.MILLISECONDS)).isFalse();
                assertThat(wanted.tryAcquire(Duration.ofMillis(20))).isEmpty();
                assertThat(Await.get(wanted.tryAcquireAsync(Duration.ofMillis(20))))
                        .isEmpty();
            }
        }
        writer.leave();
        assertComesFree(name);
    }

    @Test
    void tryLock_releasedInTime_isTrue() throws Exception {
        Client a = client();
        Client b = client();
        for (Function<DistributedReadWriteLock, DistributedLock> view : VIEWS) {
            Visitor writer = enter(write(a));
            DistributedLock wanted = view.apply(views(b));
            Actor waiter = actor();
            Future<?> acquired = b.queueUp(
                    waiter,
                    name,
                    () -> assertThat(wanted.tryLock(1, TimeUnit.DAYS)).isTrue());

            writer.leave();

            Await.result(acquired);
            waiter.run(wanted::unlock);
        }
    }

    @Test
    void acquireAsync_everyView_completesWhenItsTurnComes() throws Exception {
        Client a = client();
        for (Function<DistributedReadWriteLock, DistributedLock> view : VIEWS) {
            Client b = client();
            LockHandle writer = write(a).acquire();
            CompletableFuture<LockHandle> waiting = view.apply(views(b)).acquireAsync();
            b.events().await("contended " + name, 1);
            assertThat(waiting).isNotDone();

            writer.close();

            assertThat(Await.get(waiting).isHeld()).isTrue();
            Await.get(waiting).close();
        }
        assertComesFree(name);
    }

    @Test
    void acquireAsync_cancelled_leavesTheQueue() throws Exception {
        Client a = client();
        LockHandle writer = write(a).acquire();
        for (Function<DistributedReadWriteLock, DistributedLock> view : VIEWS) {
            Client b = client();
            CompletableFuture<LockHandle> waiting = view.apply(views(b)).acquireAsync();
            b.events().await("contended " + name, 1);

            assertThat(waiting.cancel(true)).isTrue();
        }
        writer.close();
        assertComesFree(name);
    }

    @Test
    void close_whileWaitedFor_waitersFail() throws Exception {
        Client other = client();
        Client closing = client();
        Visitor writer = enter(write(other));
        List<Visitor> waiters = new ArrayList<>();
        for (Function<DistributedReadWriteLock, DistributedLock> view : VIEWS) {
            waiters.add(queueUp(closing, view.apply(views(closing))));
        }

        closing.client().close();

        for (Visitor waiter : waiters) {
            assertThatExceptionOfType(LockClientClosedException.class).isThrownBy(waiter::awaitIn);
        }
        writer.leave();
        assertComesFree(name);
    }

    /** Whatever ends a wait, there are never holders at once that exclude each other, and nothing is left. */
    @Test
    void anyView_stormOfTimeoutsInterruptsAndCancellations_leavesNothing() throws Exception {
        SharedResource resource = new SharedResource();
        List<Actor> crowd = new ArrayList<>();
        List<Future<?>> running = new ArrayList<>();
        for (Client client : List.of(client(), client(), client())) {
            for (Function<DistributedReadWriteLock, DistributedLock> view : VIEWS) {
                Actor actor = actor();
                crowd.add(actor);
                running.add(actor.begin(() -> {
                    for (int i = 0; i < 15; i++) {
                        visitOrGiveUp(views(client), view, resource);
                    }
                    Thread.interrupted();
                }));
            }
        }
        Await.until("end of the storm", () -> {
            crowd.get(ThreadLocalRandom.current().nextInt(crowd.size())).interrupt();
            return running.stream().allMatch(Future::isDone);
        });
        running.forEach(Await::result);

        assertThat(resource.wrong()).isEmpty();
        assertComesFree(name);
    }

    private static void visitOrGiveUp(
            DistributedReadWriteLock lock,
            Function<DistributedReadWriteLock, DistributedLock> view,
            SharedResource resource) {
        DistributedLock wanted = view.apply(lock);
        CompletableFuture<LockHandle> future = wanted.acquireAsync();
        if (!future.cancel(true)) {
            future.join().close();
        }
        if (!entersBriefly(wanted)) {
            return;
        }
        if (lock.writeLock().isHeldByCurrentThread()) {
            resource.beginWrite(lock.writeLock().fencingToken());
            resource.endWrite();
        } else {
            resource.beginRead(wanted.fencingToken());
            resource.endRead();
        }
        wanted.unlock();
    }

    private static boolean entersBriefly(DistributedLock wanted) {
        try {
            return wanted.tryLock(ThreadLocalRandom.current().nextInt(5000), TimeUnit.MICROSECONDS);
        } catch (InterruptedException | LockStoreException gaveUp) {
            return false;
        }
    }
}
