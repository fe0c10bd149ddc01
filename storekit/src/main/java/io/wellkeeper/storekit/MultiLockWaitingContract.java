package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.wellkeeper.DistributedMultiLock;
import io.wellkeeper.LockClientClosedException;
import io.wellkeeper.LockStoreException;
import io.wellkeeper.MultiLockHandle;
import io.wellkeeper.testkit.SimulatedTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** {@link io.wellkeeper.DistributedMultiLock}: how a wait ends; after a wait without success no member is held. */
abstract class MultiLockWaitingContract extends MultiLockKit {

    @Test
    void lock_membersComeFreeOneByOne_isHeldWithTheLast() throws Exception {
        Client client = client();
        Client other = client();
        DistributedMultiLock lock = all(client);
        List<Visitor> holders = new ArrayList<>();
        for (String member : List.of(first, second, third)) {
            holders.add(enter(other.lock(member)));
        }
        Actor waiter = actor();
        Future<?> acquired = client.queueUp(waiter, first, lock::lock);

        holders.get(2).leave();
        holders.get(0).leave();
        client.events().await("contended " + second, 1);
        assertThat(acquired).isNotDone();
        holders.get(1).leave();

        Await.result(acquired);
        assertThat(waiter.call(lock::isHeldByCurrentThread)).isTrue();
        waiter.run(lock::unlock);
        assertAllComeFree();
    }

    @Test
    void tryLock_membersComeFreeOneByOne_hasOneDeadlineOverAll() throws Exception {
        assertHasOneDeadline(lock -> lock.tryLock(10, TimeUnit.SECONDS));
    }

    @Test
    void tryAcquire_membersComeFreeOneByOne_hasOneDeadlineOverAll() throws Exception {
        assertHasOneDeadline(lock -> lock.tryAcquire(Duration.ofSeconds(10)).isPresent());
    }

    @Test
    void tryAcquireAsync_membersComeFreeOneByOne_hasOneDeadlineOverAll() throws Exception {
        assertHasOneDeadline(
                lock -> lock.tryAcquireAsync(Duration.ofSeconds(10)).join().isPresent());
    }

    private interface Try {
        boolean on(DistributedMultiLock lock) throws Exception;
    }

    /**
     * The test drives the clock of the waiter: the timeout of 10 seconds is over before the second member comes free.
     */
    private void assertHasOneDeadline(Try attempt) throws Exception {
        SimulatedTime time = new SimulatedTime();
        Client waiting = client(options().time(time));
        Client other = client();
        Visitor holdsFirst = enter(other.lock(first));
        Visitor holdsSecond = enter(other.lock(second));
        Future<Boolean> acquired = actor().start(() -> attempt.on(both(waiting)));
        waiting.events().await("contended " + first, 1);

        time.advance(Duration.ofSeconds(6));
        holdsFirst.leave();
        waiting.events().await("contended " + second, 1);
        time.advance(Duration.ofSeconds(6));

        assertThat(Await.result(acquired)).isFalse();
        holdsSecond.leave();
        assertAllComeFree();
    }

    @Test
    void tryLock_storeIsSilent_endsAtTheDeadline() throws Exception {
        assertEndsAtTheDeadline((lock, time) -> lock.tryLock(time.toMillis(), TimeUnit.MILLISECONDS));
    }

    @Test
    void tryAcquire_storeIsSilent_endsAtTheDeadline() throws Exception {
        assertEndsAtTheDeadline((lock, time) -> lock.tryAcquire(time).isPresent());
    }

    @Test
    void tryAcquireAsync_storeIsSilent_endsAtTheDeadline() throws Exception {
        assertEndsAtTheDeadline(
                (lock, time) -> Await.get(lock.tryAcquireAsync(time)).isPresent());
    }

    private interface TimedTry {
        boolean on(DistributedMultiLock lock, Duration time) throws Exception;
    }

    /**
     * As with a single lock, a try ends with the answer that nothing was acquired, or with an exception if the store
     * did not answer for the store timeout.
     */
    private void assertEndsAtTheDeadline(TimedTry attempt) throws Exception {
        SimulatedTime time = new SimulatedTime();
        Client client = client(options().storeTimeout(IMPATIENCE).time(time));
        DistributedMultiLock lock = all(client);
        assertThat(client.queues().admin().inspect(first).holders()).isEmpty();
        fixture.pause();

        Duration brief = IMPATIENCE.dividedBy(8);
        int all = lock.names().size();
        assertThat(Await.result(beginAndPass(time, lock, brief, all, attempt))).isFalse();
        for (Duration enough : List.of(IMPATIENCE, IMPATIENCE.plus(brief))) {
            Future<Boolean> silent = beginAndPass(time, lock, enough, all, attempt);
            assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> Await.result(silent));
        }
        Future<Boolean> withoutWaiting =
                beginAndPass(time, lock, IMPATIENCE, 1, (same, storeTimeout) -> attempt.on(same, Duration.ZERO));
        assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> Await.result(withoutWaiting));

        fixture.resume();
        assertAllComeFree();
    }

    /**
     * Begins an attempt, and lets the time pass when a timer is set for each member that is requested at once, for the
     * end of the first round. Only these timers are counted: a timer of the client itself may just be cancelled by the
     * thread that has brought an answer.
     */
    private Future<Boolean> beginAndPass(
            SimulatedTime time, DistributedMultiLock lock, Duration limit, int asked, TimedTry attempt) {
        Duration firstRound = limit.compareTo(IMPATIENCE) < 0 ? limit : IMPATIENCE;
        Future<Boolean> begun = actor().start(() -> attempt.on(lock, limit));
        Await.until("alarms", () -> time.pendingAfter(firstRound) >= asked);
        time.advance(limit);
        return begun;
    }

    @Test
    void tryLock_membersComeFreeInTime_isTrue() throws Exception {
        Client client = client();
        Visitor holder = enter(client().lock(second));
        DistributedMultiLock lock = all(client);
        Actor waiter = actor();
        Future<?> acquired = client.queueUp(
                waiter,
                second,
                () -> assertThat(lock.tryLock(Long.MAX_VALUE, TimeUnit.DAYS)).isTrue());

        holder.leave();

        Await.result(acquired);
        waiter.run(lock::unlock);
        assertAllComeFree();
    }

    @Test
    void lockInterruptibly_interrupted_holdsNone() throws Exception {
        Client client = client();
        DistributedMultiLock lock = all(client);
        Thread.currentThread().interrupt();
        assertThatThrownBy(lock::lockInterruptibly).isInstanceOf(InterruptedException.class);
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> lock.tryLock(0, TimeUnit.DAYS)).isInstanceOf(InterruptedException.class);
        assertThat(Thread.interrupted()).isFalse();
        Client other = client();
        for (String taken : List.of(first, second, third)) {
            Visitor holder = enter(other.lock(taken));
            for (Actor.Action waiting : List.<Actor.Action>of(
                    lock::lockInterruptibly,
                    () -> lock.tryLock(1, TimeUnit.DAYS),
                    lock::acquire,
                    () -> lock.tryAcquire(Duration.ofDays(1)))) {
                Actor waiter = actor();
                Future<?> interrupted = client.queueUp(waiter, taken, waiting);

                waiter.interrupt();

                assertInterrupted(interrupted);
                for (String member : lock.names()) {
                    assertThat(waiter.call(client.lock(member)::isHeldByCurrentThread))
                            .isFalse();
                    if (!member.equals(taken)) {
                        assertComesFree(member);
                    }
                }
            }
            holder.leave();
        }
        assertAllComeFree();
    }

    @Test
    void lock_interrupted_acquiresAndKeepsTheFlag() throws Exception {
        Client client = client();
        Visitor holder = enter(client().lock(second));
        DistributedMultiLock lock = all(client);
        Actor waiter = actor();
        Future<?> acquired = client.queueUp(waiter, second, () -> {
            lock.lock();
            assertThat(Thread.interrupted()).isTrue();
        });

        waiter.interrupt();
        holder.leave();

        Await.result(acquired);
        assertThat(waiter.call(lock::isHeldByCurrentThread)).isTrue();
        waiter.run(lock::unlock);
        assertAllComeFree();
    }

    @Test
    void acquireAsync_cancelled_holdsNone() throws Exception {
        Client client = client();
        Client other = client();
        for (String taken : List.of(first, second, third)) {
            Visitor holder = enter(other.lock(taken));
            int before = client.events().count("contended " + taken);
            CompletableFuture<MultiLockHandle> waiting = all(client).acquireAsync();
            client.events().await("contended " + taken, before + 1);

            assertThat(waiting.cancel(true)).isTrue();

            for (String member : List.of(first, second, third)) {
                if (!member.equals(taken)) {
                    assertComesFree(member);
                }
            }
            holder.leave();
            assertAllComeFree();
        }
    }

    @Test
    void acquireAsync_completedBySomebodyElseBeforeItIsHandedOver_holdsNone() throws Exception {
        completeBeforeHandOver(client -> all(client).acquireAsync());
        completeBeforeHandOver(client -> all(client).tryAcquireAsync(Duration.ofDays(1)));
        assertAllComeFree();
    }

    @Test
    void acquireAsync_stormOfCancellations_leavesNothing() throws Exception {
        List<Future<?>> running = new ArrayList<>();
        for (Client client : List.of(client(), client(), client())) {
            running.add(actor().begin(() -> {
                for (int i = 0; i < 20; i++) {
                    CompletableFuture<MultiLockHandle> future = all(client).acquireAsync();
                    if (ThreadLocalRandom.current().nextBoolean()) {
                        Thread.yield();
                    }
                    if (!future.cancel(true)) {
                        future.join().close();
                    }
                }
            }));
        }
        running.forEach(Await::result);
        assertAllComeFree();
    }

    @Test
    void tryLock_stormOfTimeoutsAndInterrupts_leavesNothing() throws Exception {
        List<Actor> crowd = new ArrayList<>();
        List<Future<?>> running = new ArrayList<>();
        for (Client client : List.of(client(), client(), client())) {
            for (DistributedMultiLock lock : List.of(all(client), both(client))) {
                Actor actor = actor();
                crowd.add(actor);
                running.add(actor.begin(() -> {
                    for (int i = 0; i < 20; i++) {
                        tryBriefly(lock);
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
        assertAllComeFree();
    }

    private static void tryBriefly(DistributedMultiLock lock) {
        try {
            if (lock.tryLock(ThreadLocalRandom.current().nextInt(5000), TimeUnit.MICROSECONDS)) {
                lock.checkHeld();
                lock.unlock();
            }
        } catch (InterruptedException | LockStoreException gaveUp) {
            assertNotOwner(lock::unlock);
        }
    }

    @Test
    void acquireAsync_taken_completesWhenTheLastIsReleased() throws Exception {
        Client client = client();
        Visitor holder = enter(client().lock(third));
        CompletableFuture<MultiLockHandle> waiting = all(client).acquireAsync();
        client.events().await("contended " + third, 1);
        CompletableFuture<Optional<MultiLockHandle>> timed = all(client).tryAcquireAsync(Duration.ofDays(1));
        assertThat(waiting).isNotDone();

        holder.leave();

        CompletableFuture<?> closed = waiting.thenAccept(MultiLockHandle::close);
        CompletableFuture<?> closedToo =
                timed.thenAccept(handle -> handle.orElseThrow().close());
        Await.get(CompletableFuture.allOf(closed, closedToo));
        assertAllComeFree();
    }

    @Test
    void close_whileWaiting_failsAndHoldsNone() throws Exception {
        Client closing = client();
        Visitor holder = enter(client().lock(second));
        DistributedMultiLock lock = all(closing);
        Future<?> blocking = closing.queueUp(actor(), second, lock::lock);
        CompletableFuture<MultiLockHandle> async = lock.acquireAsync();

        closing.client().close();

        assertThatExceptionOfType(LockClientClosedException.class).isThrownBy(() -> Await.result(blocking));
        for (CompletableFuture<?> future : List.of(async, lock.acquireAsync())) {
            assertThatExceptionOfType(CompletionException.class)
                    .isThrownBy(() -> future.orTimeout(Await.patience().toSeconds(), TimeUnit.SECONDS)
                            .join())
                    .withCauseInstanceOf(LockClientClosedException.class);
        }
        assertComesFree(first);
        assertComesFree(third);
        holder.leave();
        assertAllComeFree();
    }
}
