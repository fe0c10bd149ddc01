package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.wellkeeper.DistributedLock;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockClientClosedException;
import io.wellkeeper.LockLostException;
import io.wellkeeper.LockOptions;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/**
 * {@link DistributedLock} as a {@link java.util.concurrent.locks.Lock}: the promises of {@code ReentrantLock} to its
 * threads, over any store.
 */
abstract class LockContract extends LockKit {

    @Test
    void lock_free_isHeldByThisThreadAndNoOther() throws Exception {
        DistributedLock lock = client().lock(name);
        lock.lock();

        assertThat(lock.name()).isEqualTo(name);
        assertThat(lock.isHeldByCurrentThread()).isTrue();
        assertThat(lock.getHoldCount()).isEqualTo(1);
        assertThat(lock.remaining()).isPositive().isLessThanOrEqualTo(fixture.longTimeout());
        lock.checkHeld();
        Actor other = actor();
        assertThat(other.call(lock::isHeldByCurrentThread)).isFalse();
        assertThat(other.call(lock::getHoldCount)).isZero();
        assertThat(other.call(lock::remaining)).isZero();
        assertThatThrownBy(() -> other.run(lock::checkHeld)).isInstanceOf(IllegalMonitorStateException.class);

        lock.unlock();
        assertThat(lock.isHeldByCurrentThread()).isFalse();
        assertThat(lock.getHoldCount()).isZero();
        assertThat(lock.remaining()).isZero();
    }

    @Test
    void lock_again_isHeldUntilUnlockedAsOften() throws Exception {
        Client client = client();
        Client other = client();
        DistributedLock lock = client.lock(name);
        lock.lock();
        lock.lockInterruptibly();
        assertThat(lock.tryLock()).isTrue();
        assertThat(lock.tryLock(1, TimeUnit.DAYS)).isTrue();
        assertThat(lock.getHoldCount()).isEqualTo(4);

        for (int left = 3; left >= 0; left--) {
            assertThat(other.lock(name).tryLock()).isFalse();
            lock.unlock();
            assertThat(lock.getHoldCount()).isEqualTo(left);
        }
        assertComesFree(name);
    }

    @Test
    void lock_sameNameTwice_isTheSameLock() throws Exception {
        Client client = client();
        client.lock(name).lock();

        assertThat(client.lock(name).getHoldCount()).isEqualTo(1);
        client.lock(name).unlock();
        assertThat(client.lock(name).isHeldByCurrentThread()).isFalse();
    }

    @Test
    void lock_notReentrantAndHeld_isRefused() throws Exception {
        DistributedLock lock =
                client(LockOptions.builder().reentrant(false).build()).lock(name);
        lock.lock();

        assertThatExceptionOfType(IllegalStateException.class).isThrownBy(lock::lock);
        assertThat(lock.tryLock()).isFalse();
        assertThat(lock.getHoldCount()).isEqualTo(1);
        lock.unlock();
        assertComesFree(name);
    }

    @Test
    void unlock_notHeld_throwsAndChangesNothing() throws Exception {
        Client client = client();
        DistributedLock lock = client.lock(name);
        assertThatExceptionOfType(IllegalMonitorStateException.class)
                .isThrownBy(lock::unlock)
                .isNotInstanceOf(LockLostException.class);
        Actor holder = holder(client, name);

        assertThatExceptionOfType(IllegalMonitorStateException.class)
                .isThrownBy(lock::unlock)
                .isNotInstanceOf(LockLostException.class);
        assertThatExceptionOfType(IllegalMonitorStateException.class)
                .isThrownBy(client().lock(name)::unlock)
                .isNotInstanceOf(LockLostException.class);

        assertThat(holder.call(lock::isHeldByCurrentThread)).isTrue();
        release(holder, client, name);
    }

    @Test
    void unlock_othersWait_nextIsLetIn() throws Exception {
        Client a = client();
        Client b = client();
        Actor holder = holder(a, name);
        Actor waiter = actor();
        Future<@Nullable Void> acquired = b.queueUp(waiter, name);
        assertThat(acquired).isNotDone();

        release(holder, a, name);

        Await.result(acquired);
        assertThat(waiter.call(b.lock(name)::isHeldByCurrentThread)).isTrue();
        assertThat(holder.call(a.lock(name)::isHeldByCurrentThread)).isFalse();
        release(waiter, b, name);
    }

    @Test
    void unlock_awaitingTheRelease_lockIsFreeWhenItReturns() throws Exception {
        Client a = client(LockOptions.builder().awaitRelease(true).build());
        Client b = client(LockOptions.builder().awaitRelease(true).build());
        for (int i = 0; i < 20; i++) {
            for (Client client : List.of(a, b)) {
                assertThat(client.lock(name).tryLock()).isTrue();
                client.lock(name).unlock();
            }
        }
    }

    @Test
    void lockInterruptibly_interruptedBefore_throwsAndClearsTheFlag() throws Exception {
        DistributedLock lock = client().lock(name);
        Thread.currentThread().interrupt();

        assertThatThrownBy(lock::lockInterruptibly).isInstanceOf(InterruptedException.class);

        assertThat(Thread.interrupted()).isFalse();
        assertThat(lock.isHeldByCurrentThread()).isFalse();
        assertComesFree(name);
    }

    @Test
    void lockInterruptibly_interruptedWhileWaiting_leavesTheQueue() throws Exception {
        Client a = client();
        Client b = client();
        Actor holder = holder(a, name);
        for (Client client : List.of(a, b)) {
            Actor waiter = actor();
            Future<?> waiting = client.queueUp(waiter, name, client.lock(name)::lockInterruptibly);

            waiter.interrupt();

            assertThat(waiting)
                    .failsWithin(Await.patience())
                    .withThrowableThat()
                    .withCauseInstanceOf(InterruptedException.class);
            assertThat(waiter.call(client.lock(name)::isHeldByCurrentThread)).isFalse();
        }
        release(holder, a, name);
        assertComesFree(name);
    }

    @Test
    void lock_interruptedWhileWaiting_acquiresAndKeepsTheFlag() throws Exception {
        Client a = client();
        Client b = client();
        Actor holder = holder(a, name);
        Actor waiter = actor();
        Future<?> acquired = b.queueUp(waiter, name, () -> {
            b.lock(name).lock();
            assertThat(Thread.interrupted()).isTrue();
            b.lock(name).checkHeld();
        });

        waiter.interrupt();
        release(holder, a, name);

        Await.result(acquired);
        release(waiter, b, name);
    }

    @Test
    void lock_interruptedBefore_acquiresAndKeepsTheFlag() throws Exception {
        DistributedLock lock = client().lock(name);
        Thread.currentThread().interrupt();
        lock.lock();
        assertThat(Thread.currentThread().isInterrupted()).isTrue();
        assertThat(lock.tryLock()).isTrue();

        assertThat(Thread.interrupted()).isTrue();
        assertThat(lock.getHoldCount()).isEqualTo(2);
        lock.unlock();
        lock.unlock();
    }

    @Test
    void tryLock_interrupted_isNotEndedByIt() throws Exception {
        DistributedLock lock = client().lock(name);
        Thread.currentThread().interrupt();

        assertThat(lock.tryLock()).isTrue();

        assertThat(Thread.interrupted()).isTrue();
        lock.unlock();
    }

    @Test
    void tryLock_taken_isFalseForOtherThreadsAndClients() throws Exception {
        Client a = client();
        Client b = client();
        Actor holder = holder(a, name);

        assertThat(a.lock(name).tryLock()).isFalse();
        assertThat(b.lock(name).tryLock()).isFalse();

        release(holder, a, name);
        assertComesFree(name);
    }

    @Test
    void tryLock_noTimeToWait_triesOnce() throws Exception {
        Client a = client();
        Client b = client();
        for (long none : new long[] {0, -1, Long.MIN_VALUE}) {
            assertThat(a.lock(name).tryLock(none, TimeUnit.SECONDS)).isTrue();
            assertThat(b.lock(name).tryLock(none, TimeUnit.SECONDS)).isFalse();
            a.lock(name).unlock();
            assertComesFree(name);
        }
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> a.lock(name).tryLock(0, TimeUnit.SECONDS)).isInstanceOf(InterruptedException.class);
    }

    @Test
    @SuppressWarnings("NullAway") // not all callers check for null
    void tryLock_withoutAUnit_isRefusedThoughTheThreadHoldsIt() throws Exception {
        DistributedLock lock = client().lock(name);
        lock.lock();

        assertThatThrownBy(() -> lock.tryLock(1, null)).isInstanceOf(NullPointerException.class);

        lock.unlock();
    }

    @Test
    void tryLock_timePasses_isFalseNotBeforeAndLeavesTheQueue() throws Exception {
        Client a = client();
        Client b = client();
        Actor holder = holder(a, name);
        for (Client client : List.of(a, b)) {
            long start = System.nanoTime();

            assertThat(client.lock(name).tryLock(30, TimeUnit.MILLISECONDS)).isFalse();

            assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(30));
            assertThat(client.lock(name).isHeldByCurrentThread()).isFalse();
        }
        release(holder, a, name);
        assertComesFree(name);
    }

    @Test
    void tryLock_releasedInTime_isTrue() throws Exception {
        Client a = client();
        Client b = client();
        Actor holder = holder(a, name);
        Actor waiter = actor();
        Future<?> acquired = b.queueUp(
                waiter,
                name,
                () -> assertThat(b.lock(name).tryLock(Long.MAX_VALUE, TimeUnit.DAYS))
                        .isTrue());

        release(holder, a, name);

        Await.result(acquired);
        release(waiter, b, name);
    }

    @Test
    void tryLock_timedAndInterruptedWhileWaiting_leavesTheQueue() throws Exception {
        Client a = client();
        Client b = client();
        Actor holder = holder(a, name);
        Actor waiter = actor();
        Future<?> waiting = b.queueUp(waiter, name, () -> b.lock(name).tryLock(1, TimeUnit.DAYS));

        waiter.interrupt();

        assertThat(waiting)
                .failsWithin(Await.patience())
                .withThrowableThat()
                .withCauseInstanceOf(InterruptedException.class);
        release(holder, a, name);
        assertComesFree(name);
    }

    @Test
    void newCondition_storeKeepsNoQueue_isNotSupported() throws Exception {
        Client client = client();
        Assumptions.assumeFalse(client.client() instanceof LockClient, "this store keeps a queue");
        DistributedLock lock = client.lock(name);

        assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(lock::newCondition);
        assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(() -> lock.newCondition("x"));
    }

    @Test
    void lock_badName_isRefused() throws Exception {
        Client client = client();
        for (String bad : List.of("", "a\0b", "\ud83d", "\udd12\ud83d", "x".repeat(513), "\u00e9".repeat(257))) {
            assertThatExceptionOfType(IllegalArgumentException.class)
                    .isThrownBy(() -> client.lock(bad))
                    .withMessageStartingWith("lock name");
        }
    }

    @Test
    void lock_hostileNames_areLocksOfTheirOwn() throws Exception {
        Client holder = client();
        Client other = client();
        for (String hostile : HostileNames.ALL) {
            assertThat(holder.lock(hostile).tryLock()).as("'%s'", hostile).isTrue();
        }
        for (String hostile : HostileNames.ALL) {
            assertThat(other.lock(hostile).tryLock()).as("'%s'", hostile).isFalse();
            assertThat(holder.lock(hostile).getHoldCount()).as("'%s'", hostile).isEqualTo(1);
            holder.lock(hostile).unlock();
        }
    }

    @Test
    void lock_otherOptionsWhileInUse_isRefused() throws Exception {
        Client client = client();
        DistributedLock lock = client.lock(name);
        LockOptions strict = LockOptions.builder().handOvers(0).build();
        LockOptions labelled = LockOptions.builder()
                .reason("why")
                .label("k", "v")
                .awaitRelease(true)
                .build();
        lock.lock();

        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(() -> actor().run(client.client().lock(name, strict)::lock));
        client.client().lock(name, labelled).lock();
        assertThat(lock.getHoldCount()).isEqualTo(2);

        client.client().lock(name, labelled).unlock();
        client.client().lock(name, labelled).unlock();
        client.client().lock(name, strict).lock();
        client.client().lock(name, strict).unlock();
    }

    @Test
    void close_whileHeldAndWaitedFor_waitersFailAndLockIsFree() throws Exception {
        Client closing = client();
        Client other = client();
        Actor otherHolder = holder(other, name + "-other");
        Actor holder = holder(closing, name);
        Future<?> localWaiter = closing.queueUp(actor(), name);
        Future<?> remoteWaiter = closing.queueUp(actor(), name + "-other");

        closing.client().close();
        closing.client().close();

        for (Future<?> waiter : List.of(localWaiter, remoteWaiter)) {
            assertThatExceptionOfType(LockClientClosedException.class).isThrownBy(() -> Await.result(waiter));
        }
        assertThatExceptionOfType(LockClientClosedException.class)
                .isThrownBy(() -> closing.client().lock(name).lock());
        release(otherHolder, other, name + "-other");
        assertComesFree(name);
        assertThat(holder.call(() -> "alive")).isEqualTo("alive");
    }

    @Test
    void close_whileHeld_isLostToItsHolder() throws Exception {
        Client closing = client();
        DistributedLock lock = closing.lock(name);
        lock.lock();

        closing.client().close();

        assertThat(lock.isHeldByCurrentThread()).isFalse();
        assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::checkHeld);
        assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::unlock);
        assertThatExceptionOfType(LockClientClosedException.class).isThrownBy(lock::lock);
    }
}
