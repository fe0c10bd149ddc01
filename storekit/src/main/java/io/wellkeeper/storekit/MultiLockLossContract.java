package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.DistributedMultiLock;
import io.wellkeeper.LockLostException;
import io.wellkeeper.MultiLockHandle;
import io.wellkeeper.Registration;
import io.wellkeeper.testkit.SimulatedTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** {@link DistributedMultiLock}: the loss of one member is the loss of all. */
abstract class MultiLockLossContract extends MultiLockKit {

    private final List<String> told = new CopyOnWriteArrayList<>();

    private static void awaitLoss(DistributedMultiLock lock) {
        Await.until("loss of " + lock.names(), () -> !lock.isHeldByCurrentThread());
    }

    @Test
    void evict_oneMember_allAreLostAndUnlockReleasesTheOthers() throws Exception {
        Client client = watchfulClient();
        Client other = client();
        for (String evicted : List.of(first, second, third)) {
            DistributedMultiLock lock = all(client);
            lock.lock();
            lock.lock();
            lock.onLost(() -> told.add(evicted));
            Registration takenBack = lock.onLost(() -> told.add("taken back"));
            takenBack.close();

            fixture.evict(evicted);
            awaitLoss(lock);

            assertLost(lock::checkHeld);
            assertLost(lock::fencingTokens);
            assertLost(lock::lock);
            Await.until(() -> "word of the loss of " + evicted + ": " + told, () -> told.contains(evicted));
            for (String member : lock.names()) {
                if (!member.equals(evicted)) {
                    client.lock(member).checkHeld();
                    assertThat(other.lock(member).tryLock()).isFalse();
                }
            }
            assertLost(lock::unlock);
            assertLost(lock::unlock);
            assertNotOwner(lock::unlock);
            assertAllComeFree();
        }
        assertThat(told).containsExactly(first, second, third);
    }

    @Test
    void lose_theSession_isToldOnceAndCanBeAcquiredAgain() throws Exception {
        Client client = client();
        DistributedMultiLock lock = all(client);
        lock.lock();
        lock.onLost(() -> told.add("lock"));

        fixture.lose(client.client());
        awaitLoss(lock);

        assertLost(lock::unlock);
        for (String member : lock.names()) { // a member in another shard may be given back before it is lost
            client.events().awaitAny("lost " + member, "released " + member);
        }
        lock.lock();
        assertThat(lock.isHeldByCurrentThread()).isTrue();
        lock.unlock();
        assertAllComeFree();
        assertThat(told).containsExactly("lock");
    }

    @Test
    void evict_oneMemberOfAHandle_allAreLostAndCloseReleasesTheOthers() throws Exception {
        Client client = watchfulClient();
        MultiLockHandle handle = all(client).acquire();
        handle.onLost(() -> told.add("handle"));

        fixture.evict(second);

        Await.get(Await.loss(handle));
        assertThat(handle.isHeld()).isFalse();
        assertLost(handle::checkHeld);
        assertLost(handle::fencingTokens);
        assertLost(handle::close);
        handle.close();
        assertAllComeFree();
        Await.until(() -> "word of the loss: " + told, () -> !told.isEmpty());
        assertThat(told).containsExactly("handle");
    }

    @Test
    void lost_releasedBefore_neverCompletes() throws Exception {
        Client client = client();
        MultiLockHandle released = all(client).acquire();
        released.onLost(() -> told.add("released"));
        Future<?> never = Await.loss(released);
        released.close();
        MultiLockHandle held = all(client).acquire();

        fixture.lose(client.client());

        Await.get(Await.loss(held));
        assertLost(held::close);
        assertThat(never).isNotDone();
        assertThat(told).isEmpty();
    }

    @Test
    void cut_forLong_holderKnowsBeforeTheNextIsLetIn() throws Exception {
        Client loser = mortalClient();
        Client next = client();
        DistributedMultiLock lock = all(loser);
        lock.lock();
        DistributedMultiLock wanted = all(next);
        Actor waiter = actor();
        Future<?> acquired = next.queueUp(waiter, first, wanted::lock);

        fixture.cut(loser.client());
        Await.result(acquired);

        assertThat(lock.isHeldByCurrentThread()).isFalse();
        fixture.mend(loser.client());
        assertLost(lock::unlock);
        assertThat(waiter.call(wanted::isHeldByCurrentThread)).isTrue();
        waiter.run(wanted::unlock);
        assertAllComeFree();
    }

    /**
     * A thread that holds the first two members waits for the third, and the ticket of the first is removed meanwhile.
     */
    private Future<?> loseTheFirstWhileWaiting(Client client, Actor waiter) throws Exception {
        waiter.run(client.lock(first)::lock);
        waiter.run(client.lock(second)::lock);
        Future<?> waiting = client.queueUp(waiter, third, all(client)::lockInterruptibly);
        fixture.evict(first);
        client.events().await("lost " + first, 1);
        return waiting;
    }

    /** Asserts that the thread holds what it had before, except for what it has lost, and that the rest is free. */
    private void assertUndone(Client client, Actor waiter) throws Exception {
        assertComesFree(third);
        assertThat(waiter.call(client.lock(second)::getHoldCount)).isEqualTo(1);
        waiter.run(client.lock(second)::unlock);
        assertLost(() -> waiter.run(client.lock(first)::unlock));
        assertNotOwner(() -> waiter.run(client.lock(first)::unlock));
        assertAllComeFree();
    }

    @Test
    void lockInterruptibly_memberHeldBeforeIsLostAndThenInterrupted_undoesTheOthers() throws Exception {
        Client client = watchfulClient();
        Visitor holder = enter(client().lock(third));
        Actor waiter = actor();
        Future<?> waiting = loseTheFirstWhileWaiting(client, waiter);

        waiter.interrupt();

        assertInterrupted(waiting);
        holder.leave();
        assertUndone(client, waiter);
    }

    @Test
    void lockInterruptibly_memberHeldBeforeIsLostWhileWaiting_throwsAndUndoesTheOthers() throws Exception {
        Client client = watchfulClient();
        Visitor holder = enter(client().lock(third));
        Actor waiter = actor();
        Future<?> waiting = loseTheFirstWhileWaiting(client, waiter);

        holder.leave();

        assertLost(() -> Await.result(waiting));
        assertUndone(client, waiter);
    }

    @Test
    void tryLock_memberHeldBeforeIsLostAndTimePasses_isFalse() throws Exception {
        SimulatedTime time = new SimulatedTime();
        Client client = client(options().time(time));
        Visitor holder = enter(client().lock(second));
        Actor waiter = actor();
        waiter.run(client.lock(first)::lock);
        DistributedMultiLock lock = both(client);
        Future<Boolean> tried = waiter.start(() -> lock.tryLock(10, TimeUnit.SECONDS));
        client.events().await("contended " + second, 1);

        fixture.lose(client.client());
        client.events().await("lost " + first, 1);
        time.advance(Duration.ofSeconds(10));

        assertThat(Await.result(tried)).isFalse();
        assertLost(() -> waiter.run(client.lock(first)::unlock));
        assertNotOwner(() -> waiter.run(client.lock(first)::unlock));
        holder.leave();
        assertAllComeFree();
    }

    @Test
    void lose_whileWaitingWithSomeMembers_acquiresAllAnew() throws Exception {
        Client loser = client();
        Client other = client();
        Visitor holder = enter(other.lock(third));
        DistributedMultiLock lock = all(loser);
        Actor waiter = actor();
        Future<?> acquired = loser.queueUp(waiter, third, lock::lock);

        fixture.lose(loser.client());
        holder.leave();

        Await.result(acquired);
        waiter.run(lock::checkHeld);
        waiter.run(lock::unlock);
        assertAllComeFree();
    }

    @Test
    void lose_againAndAgainUnderLoad_everyoneGetsInAtLast() throws Exception {
        Client loser = client();
        List<Future<?>> running = new ArrayList<>();
        for (Client client : List.of(loser, client())) {
            for (int thread = 0; thread < 2; thread++) {
                running.add(actor().begin(() -> visitOften(all(client))));
            }
        }
        for (int i = 0; i < 5; i++) {
            fixture.lose(loser.client());
            assertComesFree(name + "-between");
        }

        running.forEach(Await::result);
        assertAllComeFree();
    }

    private static void visitOften(DistributedMultiLock lock) {
        for (int i = 0; i < 15; i++) {
            lock.lock();
            try {
                lock.unlock();
            } catch (LockLostException expected) {
                assertThat(lock.isHeldByCurrentThread()).isFalse();
            }
        }
    }
}
