package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.wellkeeper.DistributedLock;
import io.wellkeeper.DistributedMultiLock;
import io.wellkeeper.DistributedReadWriteLock;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.MultiLockHandle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** {@link DistributedMultiLock}: all members are acquired or none, in whatever order they are given. */
abstract class MultiLockContract extends MultiLockKit {

    private static final int ROUNDS = 15;

    @Test
    void all_wrongMembers_isRefused() throws Exception {
        Client client = client();
        LockClient locks = client.queues();
        DistributedLock foreign = client().lock(third);
        DistributedReadWriteLock readWrite = locks.readWriteLock(first);
        List<Actor.Action> wrong = List.of(
                () -> locks.all(new String[0]),
                () -> locks.all(first, first),
                () -> locks.all(first, second, first),
                () -> locks.all(first, ""),
                () -> locks.all(first, "a\0b"),
                () -> locks.all(List.of()),
                () -> locks.all(List.of(client.lock(first), client.lock(first))),
                () -> locks.all(List.of(readWrite.readLock(), readWrite.writeLock())),
                () -> locks.all(List.of(client.lock(first), foreign)));
        for (Actor.Action call : wrong) {
            assertThatExceptionOfType(IllegalArgumentException.class).isThrownBy(call::run);
        }
    }

    @Test
    void names_anyOrderGiven_areInTheSameOrder() throws Exception {
        LockClient client = client().queues();

        List<String> names = client.all(first, second, third).names();

        assertThat(names).containsExactlyInAnyOrder(first, second, third);
        assertThat(client.all(third, first, second).names()).isEqualTo(names);
        assertThat(client.all(List.of(client.lock(second), client.lock(third), client.lock(first)))
                        .names())
                .isEqualTo(names);
    }

    @Test
    void lock_free_holdsEveryMember() throws Exception {
        Client client = client();
        Client other = client();
        DistributedMultiLock lock = all(client);
        assertThat(lock.isHeldByCurrentThread()).isFalse();
        lock.lock();

        assertThat(lock.isHeldByCurrentThread()).isTrue();
        lock.checkHeld();
        Actor stranger = actor();
        assertThat(stranger.call(lock::isHeldByCurrentThread)).isFalse();
        assertNotOwner(() -> stranger.run(lock::checkHeld));
        for (String member : lock.names()) {
            assertThat(client.lock(member).getHoldCount()).isEqualTo(1);
            assertThat(other.lock(member).tryLock()).isFalse();
        }
        lock.unlock();
        assertThat(lock.isHeldByCurrentThread()).isFalse();
        assertAllComeFree();
    }

    @Test
    void lock_again_isHeldUntilUnlockedAsOften() throws Exception {
        Client client = client();
        DistributedMultiLock lock = all(client);
        lock.lock();
        lock.lockInterruptibly();
        assertThat(lock.tryLock()).isTrue();
        assertThat(lock.tryLock(1, TimeUnit.DAYS)).isTrue();

        for (int left = 3; left >= 0; left--) {
            assertThat(lock.isHeldByCurrentThread()).isTrue();
            lock.unlock();
            assertThat(client.lock(second).getHoldCount()).isEqualTo(left);
        }
        assertNotOwner(lock::unlock);
        assertAllComeFree();
    }

    @Test
    void lock_oneMemberHeldAlready_isHeldOnceMore() throws Exception {
        Client client = client();
        DistributedMultiLock lock = both(client);
        client.lock(first).lock();
        lock.lock();
        assertThat(client.lock(first).getHoldCount()).isEqualTo(2);
        assertThat(client.lock(second).getHoldCount()).isEqualTo(1);

        lock.unlock();

        assertThat(client.lock(first).getHoldCount()).isEqualTo(1);
        assertThat(lock.isHeldByCurrentThread()).isFalse();
        assertNotOwner(lock::checkHeld);
        assertNotOwner(lock::fencingTokens);
        assertComesFree(second);
        client.lock(first).unlock();
        assertAllComeFree();
    }

    @Test
    void unlock_notHeld_throwsAndChangesNothing() throws Exception {
        Client client = client();
        DistributedMultiLock lock = both(client);
        assertNotOwner(lock::unlock);
        client.lock(first).lock();

        assertNotOwner(lock::unlock);

        assertThat(client.lock(first).getHoldCount()).isEqualTo(1);
        client.lock(first).unlock();
        Actor holder = actor();
        holder.run(lock::lock);
        assertNotOwner(lock::unlock);
        assertThat(holder.call(lock::isHeldByCurrentThread)).isTrue();
        holder.run(lock::unlock);
        assertAllComeFree();
    }

    @Test
    void fencingTokens_everyGrant_growForEachMember() throws Exception {
        Client a = client();
        Client b = client();
        Map<String, Long> last = new TreeMap<>();
        for (Client client : List.of(a, b, a, a)) {
            DistributedMultiLock lock = all(client);
            lock.lock();
            Map<String, Long> tokens = lock.fencingTokens();
            assertThat(tokens).containsOnlyKeys(first, second, third);
            for (String member : lock.names()) {
                assertThat(tokens.get(member))
                        .isEqualTo(client.lock(member).fencingToken())
                        .isGreaterThan(last.getOrDefault(member, 0L));
            }
            last.putAll(tokens);
            lock.unlock();
        }
    }

    @Test
    void tryLock_anyMemberTaken_isFalseAndHoldsNone() throws Exception {
        Client client = client();
        Client other = client();
        for (String taken : List.of(first, second, third)) {
            Visitor holder = enter(other.lock(taken));

            assertThat(all(client).tryLock()).isFalse();
            assertThat(all(client).tryLock(0, TimeUnit.SECONDS)).isFalse();
            assertThat(all(client).tryLock(20, TimeUnit.MILLISECONDS)).isFalse();
            assertThat(all(client).tryAcquire()).isEmpty();
            assertThat(all(client).tryAcquire(Duration.ZERO)).isEmpty();
            assertThat(all(client).tryAcquire(Duration.ofMillis(20))).isEmpty();
            assertThat(Await.get(all(client).tryAcquireAsync(Duration.ofMillis(20))))
                    .isEmpty();

            for (String member : List.of(first, second, third)) {
                assertThat(client.lock(member).isHeldByCurrentThread()).isFalse();
                if (!member.equals(taken)) {
                    assertComesFree(member);
                }
            }
            holder.leave();
            assertAllComeFree();
        }
        assertThat(all(client).tryLock()).isTrue();
        all(client).unlock();
    }

    /**
     * Like a job that all processes begin at the same moment: it must not happen that all fail because of each other.
     */
    @Test
    void tryLock_byManyAtOnce_succeedsForOne() throws Exception {
        List<Client> crowd = List.of(client(), client(), client(), client());
        CyclicBarrier together = new CyclicBarrier(crowd.size());
        AtomicInteger won = new AtomicInteger();
        List<Integer> winners = new CopyOnWriteArrayList<>();
        List<Future<?>> running = new ArrayList<>();
        for (Client client : crowd) {
            running.add(actor().begin(() -> {
                for (int i = 0; i < ROUNDS; i++) {
                    String round = name + "/" + i;
                    DistributedMultiLock lock = client.queues().all(round + "a", round + "b", round + "c");
                    together.await();
                    boolean mine = lock.tryLock();
                    won.addAndGet(mine ? 1 : 0);
                    if (together.await() == 0) {
                        winners.add(won.getAndSet(0));
                    }
                    together.await();
                    if (mine) {
                        lock.unlock();
                    }
                }
            }));
        }
        running.forEach(Await::result);
        assertThat(winners).hasSize(ROUNDS).containsOnly(1);
    }

    @Test
    void lock_readAndWriteLocks_toleratesWhatTheyTolerate() throws Exception {
        Client a = client();
        Client b = client();
        DistributedMultiLock ofA = a.queues()
                .all(List.of(
                        a.queues().readWriteLock(first).readLock(),
                        a.queues().readWriteLock(second).writeLock()));
        DistributedMultiLock ofB = b.queues()
                .all(List.of(b.lock(third), b.queues().readWriteLock(first).readLock()));
        Actor writing = actor();
        writing.run(ofA::lock);
        Actor reading = actor();
        reading.run(ofB::lock);

        assertThat(writing.call(ofA::isHeldByCurrentThread)).isTrue();
        assertThat(reading.call(ofB::isHeldByCurrentThread)).isTrue();
        assertThat(b.queues().readWriteLock(first).writeLock().tryLock()).isFalse();
        assertThat(b.queues().readWriteLock(second).readLock().tryLock()).isFalse();
        writing.run(ofA::unlock);
        reading.run(ofB::unlock);
        assertAllComeFree();
    }

    @Test
    void lock_memberThatThisThreadCannotHave_isRefusedAndHoldsNone() throws Exception {
        Client client = client();
        LockClient locks = client.queues();
        DistributedReadWriteLock readWrite = locks.readWriteLock(second);
        DistributedMultiLock lock = locks.all(List.of(client.lock(first), readWrite.writeLock(), client.lock(third)));
        Actor reader = actor();
        reader.run(readWrite.readLock()::lock);

        assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> reader.run(lock::lock));
        assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> reader.run(lock::lockInterruptibly));
        assertThat(reader.call(() -> lock.tryLock())).isFalse();
        assertThat(reader.call(() -> lock.tryLock(1, TimeUnit.DAYS))).isFalse();
        assertThat(reader.call(() -> lock.tryAcquire())).isEmpty();
        assertThat(reader.call(() -> lock.tryAcquire(Duration.ofDays(1)))).isEmpty();
        assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> reader.run(lock::acquire));

        assertComesFree(first);
        assertComesFree(third);
        assertThat(reader.call(readWrite.readLock()::getHoldCount)).isEqualTo(1);
        reader.run(readWrite.readLock()::unlock);
        assertAllComeFree();
    }

    @Test
    void acquire_free_handleIsBoundToNoThread() throws Exception {
        Client client = client();
        DistributedMultiLock lock = all(client);
        MultiLockHandle handle = lock.acquire();
        assertThat(handle.isHeld()).isTrue();
        handle.checkHeld();
        assertThat(handle.fencingTokens()).containsOnlyKeys(first, second, third);
        assertThat(lock.isHeldByCurrentThread()).isFalse();
        assertNotOwner(lock::unlock);
        assertThat(lock.tryLock()).isFalse();
        assertThat(lock.tryAcquire()).isEmpty();
        assertThat(lock.tryAcquire(Duration.ZERO)).isEmpty();

        actor().run(handle::close);

        handle.close();
        assertThat(handle.isHeld()).isFalse();
        assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(handle::checkHeld);
        assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(handle::fencingTokens);
        assertAllComeFree();
        actor().run(() -> {
            Thread.currentThread().interrupt();
            lock.tryAcquire().orElseThrow().close();
            assertThat(Thread.interrupted()).isTrue();
        });
        lock.tryAcquire(Duration.ofDays(1)).orElseThrow().close();
        Await.get(lock.acquireAsync()).close();
        Await.get(lock.tryAcquireAsync(Duration.ofDays(1))).orElseThrow().close();
        assertAllComeFree();
    }

    @Test
    void newCondition_isNotSupported() throws Exception {
        assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(all(client())::newCondition);
    }

    @Test
    void lock_inOppositeOrdersByMany_everyoneGetsIn() throws Exception {
        Map<String, ProtectedResource> resources = new TreeMap<>();
        List.of(first, second, third).forEach(member -> resources.put(member, new ProtectedResource()));
        List<Future<?>> running = new ArrayList<>();
        for (Client client : List.of(client(), client(), client())) {
            for (int thread = 0; thread < 2; thread++) {
                running.add(actor().begin(() -> {
                    for (int i = 0; i < ROUNDS; i++) {
                        DistributedMultiLock lock = client.queues().all(someOf(resources));
                        lock.lock();
                        lock.fencingTokens()
                                .forEach((member, token) -> Objects.requireNonNull(resources.get(member))
                                        .visit(token));
                        lock.unlock();
                    }
                }));
            }
        }
        running.forEach(Await::result);

        resources.values().forEach(resource -> assertThat(resource.wrong()).isEmpty());
        assertAllComeFree();
    }

    /** Two or three of the members, in any order. */
    private static String[] someOf(Map<String, ?> members) {
        List<String> chosen = new ArrayList<>(members.keySet());
        Collections.shuffle(chosen, ThreadLocalRandom.current());
        return chosen.subList(0, 2 + ThreadLocalRandom.current().nextInt(2)).toArray(new String[0]);
    }

    @Test
    void lock_besideSingleLocks_everyoneGetsIn() throws Exception {
        List<Future<?>> running = new ArrayList<>();
        for (Client client : List.of(client(), client())) {
            DistributedMultiLock lock = all(client);
            running.add(actor().begin(() -> repeat(() -> {
                lock.lock();
                lock.unlock();
            })));
            for (String member : List.of(first, third)) {
                running.add(actor().begin(() -> repeat(() -> {
                    try (LockHandle single = client.lock(member).acquire()) {
                        single.checkHeld();
                    }
                })));
            }
        }
        running.forEach(Await::result);
        assertAllComeFree();
    }

    private static void repeat(Actor.Action action) throws Exception {
        for (int i = 0; i < ROUNDS; i++) {
            action.run();
        }
    }
}
