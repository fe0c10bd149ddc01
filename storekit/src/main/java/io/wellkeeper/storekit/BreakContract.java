package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.wellkeeper.DistributedLock;
import io.wellkeeper.LeaderElection;
import io.wellkeeper.LockBreak;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockClientClosedException;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockLostException;
import io.wellkeeper.LockOptions;
import io.wellkeeper.LockStatus;
import io.wellkeeper.Participant;
import io.wellkeeper.Permits;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** {@link io.wellkeeper.LockAdmin#breakLock}: a lock is taken away without asking its holders, and they learn of it. */
abstract class BreakContract extends LockKit {

    private static final int MANY = 400;

    private Client breaking() throws Exception {
        return client(options().clientName("breaking"));
    }

    private static void assertLost(LockHandle handle) {
        Await.get(Await.loss(handle));
        assertThat(handle.isHeld()).isFalse();
        assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::checkHeld);
        assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::close);
    }

    /** Waits for the loss, which is told at once, and for the reason, which names soon who has caused it. */
    private static void awaitReason(LockHandle handle, String who) {
        Await.get(Await.loss(handle));
        Await.until("the reason", () -> {
            Throwable thrown = catchThrowable(handle::checkHeld);
            return thrown instanceof LockLostException
                    && String.valueOf(thrown.getMessage()).contains(who);
        });
    }

    @Test
    void breakLock_nobodyHolds_breaksNothing() throws Exception {
        Client breaking = breaking();

        assertThat(breaking.queues().admin().breakLock(name, "why")).isEmpty();

        assertThat(breaking.queues().admin().names(name)).isEmpty();
        assertThat(breaking.queues().admin().inspect(name)).isEqualTo(new LockStatus(name, List.of(), List.of()));
    }

    @Test
    void breakLock_badNameOrReason_isRefused() throws Exception {
        Client breaking = breaking();
        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> breaking.queues().admin().breakLock("", "why"));
        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> breaking.queues().admin().breakLock(name, "x".repeat(1025)));
    }

    @Test
    void breakLock_heldByAThread_holderIsToldOnceAndRefused() throws Exception {
        List<String> told = new CopyOnWriteArrayList<>();
        Client breaking = breaking();
        Client client = watchfulClient("holder");
        DistributedLock lock = client.lock(name);
        lock.lock();
        lock.lock();
        lock.onLost(() -> told.add("told"));

        List<Participant> broken = breaking.queues().admin().breakLock(name, "it hangs");

        assertThat(broken).extracting(Participant::clientName).containsExactly("holder");
        Await.until("word of the loss", () -> !told.isEmpty());
        assertThat(lock.isHeldByCurrentThread()).isFalse();
        assertThat(lock.getHoldCount()).isZero();
        assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::fencingToken);
        for (int left = 2; left > 0; left--) {
            assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::lock);
            assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::unlock);
        }
        client.events().await("lost " + name, 1);
        lock.lock();
        lock.unlock();
        assertComesFree(name);
        assertThat(told).hasSize(1);
        assertThat(client.events().count("lost " + name)).isEqualTo(1);
    }

    @Test
    void breakLock_othersWait_nextIsLetInWithALargerToken() throws Exception {
        Client breaking = breaking();
        Client client = watchfulClient("holder");
        Client second = client(options().clientName("second"));
        Client third = client(options().clientName("third"));
        LockHandle handle = client.lock(name).acquire();
        long token = handle.fencingToken();
        Visitor next = queueUp(second, second.lock(name));
        Visitor last = queueUp(third, third.lock(name));
        Instant before = Instant.now();

        breaking.queues().admin().breakLock(name, "it hangs \u00e9");

        next.awaitIn();
        assertThat(next.token()).isGreaterThan(token);
        assertThat(last.in()).isNotDone();
        LockStatus status = client().queues().admin().inspect(name);
        assertThat(status.holders()).extracting(Participant::clientName).containsExactly("second");
        assertThat(status.waiters()).extracting(Participant::clientName).containsExactly("third");
        LockBreak shown = status.lastBreak().orElseThrow();
        assertThat(shown.by()).isEqualTo("breaking");
        assertThat(shown.reason()).isEqualTo("it hangs \u00e9");
        assertThat(shown.when()).isBetween(before.minusMillis(1), Instant.now());
        awaitReason(handle, "breaking");
        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(handle::close)
                .withMessageContaining("breaking")
                .withMessageContaining("it hangs \u00e9");
        assertThat(next.isInside()).isTrue();
        next.leave();
        last.visit();
        assertComesFree(name);
    }

    @Test
    void breakLock_threadsOfTheSameClientWait_theyGetInAtLast() throws Exception {
        Client breaking = breaking();
        Client client = watchfulClient("holder");
        LockHandle handle = client.lock(name).acquire();
        Visitor local = queueUp(client, client.lock(name));
        Client other = client();
        Visitor remote = queueUp(other, other.lock(name));

        breaking.queues().admin().breakLock(name, "why");

        remote.visit();
        local.visit();
        assertLost(handle);
        assertComesFree(name);
    }

    @Test
    void breakLock_bySomebodyWhoWaitsForIt_isLetIn() throws Exception {
        Client breaking = breaking();
        LockHandle handle = watchfulClient("holder").lock(name).acquire();
        Visitor waiter = queueUp(breaking, breaking.lock(name));

        breaking.queues().admin().breakLock(name, "out of my way");

        waiter.visit();
        assertLost(handle);
        assertComesFree(name);
    }

    @Test
    void breakLock_heldByTheOneWhoBreaksIt_isLostAllTheSame() throws Exception {
        Client client = watchfulClient("holder");
        LockHandle handle = client.lock(name).acquire();

        assertThat(client.queues().admin().breakLock(name, "why"))
                .extracting(Participant::clientName)
                .containsExactly("holder");

        assertLost(handle);
        assertComesFree(name);
    }

    @Test
    void breakLock_again_showsTheLast() throws Exception {
        Client breaking = breaking();
        Client waiting = client();
        LockHandle first = watchfulClient("first").lock(name).acquire();
        Client holder = watchfulClient("second");
        Visitor second = queueUp(holder, holder.lock(name));
        breaking.queues().admin().breakLock(name, "first reason");
        second.awaitIn();
        Visitor third = queueUp(waiting, waiting.lock(name));

        breaking.queues().admin().breakLock(name, "second reason");

        third.awaitIn();
        assertThat(breaking.queues().admin().inspect(name).lastBreak())
                .map(LockBreak::reason)
                .contains("second reason");
        assertLost(first);
        assertThatExceptionOfType(LockLostException.class).isThrownBy(second::leave);
        third.leave();
        assertComesFree(name);
    }

    @Test
    void breakLock_readersAndPermits_allHoldersLoseTheirs() throws Exception {
        Client breaking = breaking();
        String permits = name + "-permits";
        Client a = watchfulClient("a");
        Client b = watchfulClient("b");
        List<LockHandle> handles = List.of(
                a.queues().readWriteLock(name).readLock().acquire(),
                a.queues().readWriteLock(name).readLock().acquire(),
                b.queues().readWriteLock(name).readLock().acquire(),
                a.queues().semaphore(permits, 3).acquire(),
                b.queues().semaphore(permits, 3).acquire(2));
        Client writing = client();
        Visitor writer = queueUp(writing, writing.queues().readWriteLock(name).writeLock());

        assertThat(breaking.queues().admin().breakLock(name, "why"))
                .extracting(Participant::clientName)
                .containsExactly("a", "b");
        assertThat(breaking.queues().admin().breakLock(permits, "why"))
                .extracting(Participant::clientName)
                .containsExactly("a", "b");

        writer.visit();
        handles.forEach(BreakContract::assertLost);
        Await.until("all permits", () -> breaking.queues().semaphore(permits, 3).availablePermits() == 3);
        assertComesFree(name);
    }

    @Test
    void breakLock_manyHoldersAndALongReason_allLoseTheirs() throws Exception {
        Client breaking = breaking();
        Client client =
                client(options().clientName("holder").sessionTimeout(WATCHFUL.multipliedBy(4))); // so many take a while
        List<CompletableFuture<Permits>> acquired = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            acquired.add(client.queues().semaphore(name, MANY).acquireAsync(1));
        }
        List<Permits> handles = acquired.stream().map(Await::get).toList();
        Client waiting = client();
        CompletableFuture<Permits> next = waiting.queues().semaphore(name, MANY).acquireAsync(1);
        waiting.events().await("contended " + name, 1);
        String longest = "\u9501%".repeat(512);
        breaking.queues().admin().requestRevocation(name, longest);

        assertThat(breaking.queues().admin().breakLock(name, longest)).hasSize(MANY);

        LockHandle entered = Await.get(next); // its ticket keeps the notice in the store
        handles.forEach(handle -> Await.get(Await.loss(handle)));
        awaitReason(handles.get(MANY - 1), "breaking");
        entered.close();
        assertThat(breaking.queues().admin().inspect(name).lastBreak().map(LockBreak::reason))
                .isIn(Optional.of(longest), Optional.empty());
        assertComesFree(name);
    }

    @Test
    void close_questionsUnderWay_allFail() throws Exception {
        Client closing = client(options().storeTimeout(Await.patience()).closeTimeout(Duration.ofMillis(100)));
        LockClient client = closing.queues();
        fixture.pause();
        List<Future<?>> asking = List.of(
                actor().begin(() -> client.admin().inspect(name)),
                actor().begin(() -> client.admin().names(name)),
                actor().begin(() -> client.admin().breakLock(name, "why")),
                actor().begin(() -> client.admin().requestRevocation(name, "why")),
                actor().begin(client.admin()::deadlocks),
                actor().begin(client.semaphore(name, 1)::availablePermits),
                actor().begin(client.barrier(name, 1)::getNumberWaiting),
                actor().begin(client.latch(name)::getCount),
                actor().begin(client.latch(name)::countDown),
                actor().begin(client.election(name, new Deaf())::leader));

        client.close();

        for (Future<?> each : asking) {
            assertThatExceptionOfType(LockClientClosedException.class).isThrownBy(() -> Await.result(each));
        }
        fixture.resume();
    }

    private static final class Deaf implements LeaderElection.Listener {

        @Override
        public void elected(long fencingToken) {}

        @Override
        public void deposed(String reason) {}
    }

    @Test
    void breakLock_interruptOnLoss_interruptsTheHolder() throws Exception {
        Client breaking = breaking();
        Client client = client(options()
                .sessionTimeout(WATCHFUL)
                .lockDefaults(LockOptions.builder().interruptOnLoss(true).build()));
        Actor holder = holder(client, name);
        Future<?> working = holder.begin(() -> new CountDownLatch(1).await());

        breaking.queues().admin().breakLock(name, "why");

        assertInterrupted(working);
        assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> release(holder, client, name));
        assertComesFree(name);
    }

    @Test
    void breakLock_holderIsCutOff_nextIsLetInAtOnce() throws Exception {
        Client breaking = breaking();
        Client client = client();
        Client other = client();
        client.lock(name).acquire();
        Visitor next = queueUp(other, other.lock(name));
        fixture.cut(client.client());

        breaking.queues().admin().breakLock(name, "it does not answer");

        next.awaitIn();
        fixture.mend(client.client());
        next.leave();
        assertComesFree(name);
    }
}
