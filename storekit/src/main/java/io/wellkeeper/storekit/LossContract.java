package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.wellkeeper.DistributedLock;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockLostException;
import io.wellkeeper.LockOptions;
import io.wellkeeper.LockStoreException;
import io.wellkeeper.Registration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** What holders and waiters see when a session ends, a connection breaks, or the store does not answer. */
abstract class LossContract extends LockKit {

    private void awaitLoss(DistributedLock lock) {
        Await.until("'" + lock.name() + "' lost", () -> !lock.isHeldByCurrentThread());
    }

    @Test
    void lose_whileHeld_holderIsRefusedUntilItUnlocks() throws Exception {
        Client client = mortalClient();
        DistributedLock lock = client.lock(name);
        lock.lock();
        lock.lock();

        fixture.lose(client.client());
        awaitLoss(lock);

        assertThat(lock.getHoldCount()).isZero();
        assertThat(lock.remaining()).isZero();
        assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::checkHeld);
        assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> lock.onLost(() -> {}));
        if (fixture.hasTokens()) {
            assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::fencingToken);
        }
        for (int left = 2; left > 0; left--) {
            assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::lock);
            assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::tryLock);
            assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::unlock);
        }
        lock.lock();
        assertThat(lock.getHoldCount()).isEqualTo(1);
        lock.unlock();
    }

    @Test
    void lose_whileHeld_everyoneIsToldOnceAndOnTheCallbackExecutor() throws Exception {
        List<String> told = new CopyOnWriteArrayList<>();
        ThreadLocal<Boolean> callback = ThreadLocal.withInitial(() -> false);
        try (Actor executor = new Actor()) {
            executor.run(() -> callback.set(true));
            Client client = client(options()
                    .sessionTimeout(fixture.shortTimeout())
                    .callbackExecutor(task -> executor.begin(task::run)));
            DistributedLock lock = client.lock(name);
            lock.lock();
            lock.onLost(() -> {
                told.add("throwing " + callback.get());
                throw new IllegalStateException("an action that throws");
            });
            lock.onLost(() -> told.add("lock " + callback.get()));
            Registration takenBack = lock.onLost(() -> told.add("taken back"));
            takenBack.close();
            LockHandle handle = client.lock(name + "-2").acquire();
            handle.onLost(() -> told.add("handle " + callback.get()));

            fixture.lose(client.client());

            Await.until(() -> "all told: " + told, () -> told.size() >= 3);
            handle.onLost(() -> told.add("late " + callback.get()));
            Await.until(() -> "all told: " + told, () -> told.size() >= 4);
            client.events().await("lost " + name, 1);
            client.events().await("lost " + name + "-2", 1);
            assertThat(handle.isHeld()).isFalse();
            assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::checkHeld);
            assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::close);
            handle.close();
            assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::unlock);
            client.client().close();
            executor.run(() -> {});
            assertThat(told).containsExactlyInAnyOrder("throwing true", "lock true", "handle true", "late true");
            assertThat(client.events().count("lost " + name)).isEqualTo(1);
            assertThat(client.events().count("released " + name)).isZero();
        }
    }

    @Test
    void onLost_releasedBefore_isNotRun() throws Exception {
        Client client = mortalClient();
        DistributedLock lock = client.lock(name);
        List<String> told = new CopyOnWriteArrayList<>();
        lock.lock();
        lock.onLost(() -> told.add("released"));
        lock.unlock();
        lock.lock();
        lock.onLost(() -> told.add("held"));

        fixture.lose(client.client());

        Await.until("word of the loss", () -> !told.isEmpty());
        assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::unlock);
        assertThat(told).containsExactly("held");
    }

    @Test
    void lose_whileOthersWait_theyAreLetIn() throws Exception {
        Client loser = mortalClient();
        Client other = client();
        DistributedLock lock = loser.lock(name);
        lock.lock();
        Future<?> localWaiter = loser.queueUp(actor(), name, () -> {
            loser.lock(name).lock();
            loser.lock(name).unlock();
        });
        Future<?> remoteWaiter = other.queueUp(actor(), name, () -> {
            other.lock(name).lock();
            other.lock(name).unlock();
        });

        fixture.lose(loser.client());

        Await.result(remoteWaiter);
        Await.result(localWaiter);
        assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::unlock);
    }

    /**
     * A lock in use can be acquired only with the same options; so other options show whether anything is left of it.
     */
    @Test
    void lose_threadDiesWithoutUnlocking_nothingIsLeftOfIt() throws Exception {
        Client loser = watchfulClient();
        DistributedLock otherwise =
                loser.client().lock(name, LockOptions.builder().handOvers(0).build());
        Actor holder = holder(loser, name);
        fixture.lose(loser.client());
        loser.events().await("lost " + name, 1);
        assertThatExceptionOfType(IllegalStateException.class).isThrownBy(otherwise::tryLock);

        holder.close();

        Await.until("the lock is not in use any more", () -> {
            try {
                return otherwise.tryLock();
            } catch (IllegalStateException inUse) {
                return false;
            }
        });
        otherwise.unlock();
    }

    @Test
    void lose_whileWaiting_waiterAcquiresAnew() throws Exception {
        Client first = client();
        Client loser = mortalClient();
        Actor holder = holder(first, name);
        Actor waiter = actor();
        Future<?> acquired = loser.queueUp(waiter, name);

        fixture.lose(loser.client());
        release(holder, first, name);

        Await.result(acquired);
        assertThat(waiter.call(loser.lock(name)::isHeldByCurrentThread)).isTrue();
        release(waiter, loser, name);
    }

    @Test
    void cut_forLong_holderKnowsBeforeTheNextIsLetIn() throws Exception {
        Client loser = mortalClient();
        Client next = client();
        DistributedLock lock = loser.lock(name);
        lock.lock();
        long token = fixture.hasTokens() ? lock.fencingToken() : 0;
        Actor waiter = actor();
        Future<?> acquired = next.queueUp(waiter, name);

        fixture.cut(loser.client());
        Await.result(acquired);

        assertThat(lock.isHeldByCurrentThread()).isFalse();
        if (fixture.hasTokens()) {
            assertThat(waiter.call(next.lock(name)::fencingToken)).isGreaterThan(token);
        }
        fixture.mend(loser.client());
        assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::unlock);
        assertThat(waiter.call(next.lock(name)::isHeldByCurrentThread)).isTrue();
        release(waiter, next, name);
        lock.lock();
        lock.unlock();
    }

    @Test
    void cut_briefly_holdSurvives() throws Exception {
        Client client = client();
        DistributedLock lock = client.lock(name);
        lock.lock();

        fixture.cut(client.client());
        fixture.mend(client.client());

        lock.checkHeld();
        lock.unlock();
        assertComesFree(name);
    }

    @Test
    void unlock_whileCut_ticketIsGivenBackAfterwards() throws Exception {
        Client client = client();
        DistributedLock lock = client.lock(name);
        lock.lock();
        fixture.cut(client.client());

        lock.unlock();
        assertThat(lock.isHeldByCurrentThread()).isFalse();
        fixture.mend(client.client());

        assertComesFree(name);
        lock.lock();
        lock.unlock();
    }

    @Test
    void lock_whileCut_waitsForTheConnection() throws Exception {
        Client client = client();
        fixture.cut(client.client());
        Actor waiter = actor();
        Future<?> acquired = waiter.begin(client.lock(name)::lock);

        fixture.mend(client.client());

        Await.result(acquired);
        release(waiter, client, name);
    }

    @Test
    void tryLock_storeIsSilent_endsInTimeAndLeavesNothing() throws Exception {
        Client client = impatientClient();
        DistributedLock lock = client.lock(name);
        fixture.pause();

        assertThatExceptionOfType(LockStoreException.class)
                .isThrownBy(() -> lock.tryLock(IMPATIENCE.toMillis(), TimeUnit.MILLISECONDS));
        assertThatExceptionOfType(LockStoreException.class).isThrownBy(lock::tryLock);
        assertThat(lock.acquireAsync().cancel(true)).isTrue();

        fixture.resume();
        assertComesFree(name);
    }

    @Test
    void pause_forLong_holderKnowsByItsOwnClock() throws Exception {
        Client client = mortalClient();
        DistributedLock lock = client.lock(name);
        lock.lock();

        fixture.pause();
        awaitLoss(lock);

        assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::checkHeld);
        fixture.resume();
        assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::unlock);
        assertComesFree(name);
    }

    @Test
    void evict_whileHeld_isLostToItsHolder() throws Exception {
        Client client = mortalClient();
        Client next = client();
        DistributedLock lock = client.lock(name);
        CompletableFuture<String> told = new CompletableFuture<>();
        lock.lock();
        lock.onLost(() -> told.complete("told"));
        Actor waiter = actor();
        Future<?> acquired = next.queueUp(waiter, name);

        fixture.evict(name);

        assertThat(Await.get(told)).isEqualTo("told");
        assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::unlock);
        Await.result(acquired);
        release(waiter, next, name);
    }

    @Test
    void evict_noticedAndUnlocked_nextTokenIsLarger() throws Exception {
        Assumptions.assumeTrue(fixture.hasTokens(), "this store has no fencing token");
        Client client = mortalClient();
        DistributedLock lock = client.lock(name);
        lock.lock();
        long token = lock.fencingToken();
        fixture.evict(name);
        awaitLoss(lock);
        assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::unlock);

        lock.lock();

        assertThat(lock.fencingToken()).isGreaterThan(token);
        lock.unlock();
    }

    @Test
    void lose_againAndAgainUnderLoad_everyoneGetsInAtLast() throws Exception {
        Client loser = mortalClient();
        Client steady = client();
        Future<?> unlucky = actor().begin(() -> {
            for (int i = 0; i < 50; i++) {
                loser.lock(name).lock();
                try {
                    loser.lock(name).unlock();
                } catch (LockLostException expected) {
                    assertThat(loser.lock(name).isHeldByCurrentThread()).isFalse();
                }
            }
        });
        Future<?> lucky = actor().begin(() -> {
            for (int i = 0; i < 50; i++) {
                steady.lock(name).lock();
                steady.lock(name).unlock();
            }
        });
        for (int i = 0; i < 5; i++) {
            fixture.lose(loser.client());
            assertComesFree(name + "-between");
        }

        Await.result(lucky);
        Await.result(unlucky);
        assertComesFree(name);
    }
}
