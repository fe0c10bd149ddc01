package io.wellkeeper.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.wellkeeper.DistributedLock;
import io.wellkeeper.DistributedReadWriteLock;
import io.wellkeeper.LockHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** {@link DistributedReadWriteLock}: a reader becomes the writer, and nobody comes between. */
public abstract class UpgradeContract extends ReadWriteKit {

    private static final int ROUNDS = 10;

    private final SharedResource resource = new SharedResource();

    /** For the store's own test to call. */
    protected UpgradeContract() {}

    @Test
    void upgradeableReadLock_held_toleratesReadersAndNobodyElse() throws Exception {
        Client a = client();
        Client b = client();
        Visitor before = enter(read(b));
        Visitor holder = enter(upgradeable(a));
        Visitor after = enter(read(b));
        Visitor sameClient = enter(read(a));

        for (Client client : List.of(a, b)) {
            assertThat(upgradeable(client).tryLock()).isFalse();
            assertThat(upgradeable(client).tryAcquire()).isEmpty();
            assertThat(write(client).tryLock()).isFalse();
            assertThat(client.lock(name).tryLock()).isFalse();
        }
        assertThat(holder.isInside()).isTrue();
        List.of(before, holder, sameClient, after).forEach(Visitor::leave);
        assertComesFree(name);
    }

    @Test
    void upgradeableReadLock_manyWait_oneAtATimeInOrder() throws Exception {
        Client a = client();
        Visitor holder = enter(upgradeable(a));
        AtomicInteger inside = new AtomicInteger();
        List<Future<?>> waiters = new ArrayList<>();
        List<Integer> order = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            Client client = client();
            int number = i;
            waiters.add(client.queueUp(actor(), name, () -> {
                upgradeable(client).lock();
                assertThat(inside.incrementAndGet()).isEqualTo(1);
                order.add(number);
                inside.decrementAndGet();
                upgradeable(client).unlock();
            }));
        }
        holder.leave();

        waiters.forEach(Await::result);
        assertThat(order).containsExactly(0, 1, 2);
    }

    @Test
    void upgrade_noReaders_isTheWriter() throws Exception {
        Client a = client();
        Client b = client();
        Visitor last = enter(write(b));
        long before = last.token();
        last.leave();
        Visitor holder = enter(upgradeable(a));
        holder.actor().run(write(a)::lock);

        assertThat(read(b).tryLock()).isFalse();
        assertThat(read(a).tryLock()).isFalse();
        long upgraded = holder.actor().call(write(a)::fencingToken);
        assertThat(upgraded).isGreaterThan(before);
        holder.actor().run(write(a)::unlock);

        enter(read(b)).leave();
        assertThat(holder.isInside()).isTrue();
        assertThat(upgradeable(b).tryLock()).isFalse();
        holder.actor().run(write(a)::lock);
        assertThat(holder.actor().call(write(a)::fencingToken)).isGreaterThan(upgraded);
        upgraded = holder.actor().call(write(a)::fencingToken);
        holder.actor().run(write(a)::unlock);
        holder.leave();
        Visitor next = enter(write(b));
        assertThat(next.token()).isGreaterThan(upgraded);
        next.leave();
    }

    @Test
    void upgrade_readersAreIn_waitsForThemAndLetsNoNewOnesIn() throws Exception {
        Client a = client();
        Client b = client();
        Client c = client();
        Visitor sameClient = enter(read(a));
        Visitor otherClient = enter(read(b));
        Visitor holder = enter(upgradeable(a));
        AtomicInteger readers = new AtomicInteger(2);

        Future<?> upgraded = a.queueUp(holder.actor(), name, () -> {
            write(a).lock();
            assertThat(readers).hasValue(0);
        });
        awaitNoNewReaders(c);
        Visitor late = queueUp(c, read(c));
        readers.decrementAndGet();
        sameClient.leave();
        assertThat(upgraded).isNotDone();
        readers.decrementAndGet();
        otherClient.leave();

        Await.result(upgraded);
        assertThat(late.in()).isNotDone();
        holder.actor().run(write(a)::unlock);
        late.visit();
        holder.leave();
        assertComesFree(name);
    }

    /** An upgrade is under way, and seen by this client. */
    private void awaitNoNewReaders(Client client) {
        Await.until("no new readers let in", () -> {
            boolean letIn = read(client).tryLock();
            if (letIn) {
                read(client).unlock();
            }
            return !letIn;
        });
    }

    @Test
    void upgrade_writersWaitAlready_noneComesBetween() throws Exception {
        Client a = client();
        Client b = client();
        Client c = client();
        Visitor last = enter(write(c));
        long before = last.token();
        last.leave();
        Visitor holder = enter(upgradeable(a));
        Visitor reader = enter(read(c));
        Visitor writer = queueUp(b, write(b));
        Future<?> upgraded = a.queueUp(holder.actor(), name, write(a)::lock);

        reader.leave();

        Await.result(upgraded);
        assertThat(writer.in()).isNotDone();
        long between = holder.actor().call(write(a)::fencingToken);
        assertThat(between).isGreaterThan(before);
        holder.actor().run(write(a)::unlock);
        assertThat(writer.in()).isNotDone();
        holder.leave();
        writer.awaitIn();
        assertThat(writer.token()).isGreaterThan(between);
        writer.leave();
        assertComesFree(name);
    }

    @Test
    void upgrade_givenUp_readersComeInAndTheHolderReadsOn() throws Exception {
        Client a = client();
        Client b = client();
        Visitor reader = enter(read(b));
        Visitor holder = enter(upgradeable(a));
        Actor thread = holder.actor();

        assertThat(thread.call(() -> write(a).tryLock())).isFalse();
        enter(read(b)).leave();
        assertThat(thread.call(() -> write(a).tryLock(20, TimeUnit.MILLISECONDS)))
                .isFalse();
        enter(read(b)).leave();
        Future<?> waiting = a.queueUp(thread, name, write(a)::lockInterruptibly);
        thread.interrupt();
        assertInterrupted(waiting);
        enter(read(b)).leave();

        assertThat(holder.isInside()).isTrue();
        assertThat(upgradeable(b).tryLock()).isFalse();
        reader.leave();
        thread.run(write(a)::lock);
        thread.run(write(a)::unlock);
        holder.leave();
        assertComesFree(name);
    }

    @Test
    void upgrade_holderReadsToo_doesNotWaitForItself() throws Exception {
        DistributedReadWriteLock lock = views(client());
        lock.upgradeableReadLock().lock();
        lock.readLock().lock();
        assertThat(lock.writeLock().tryLock()).isTrue();
        assertThat(lock.readLock().holdCount()).isEqualTo(1);
        assertThat(lock.upgradeableReadLock().holdCount()).isEqualTo(1);

        lock.writeLock().unlock();
        lock.upgradeableReadLock().unlock();

        assertThat(lock.readLock().isHeldByCurrentThread()).isTrue();
        Client other = client();
        enter(upgradeable(other)).leave();
        assertThat(write(other).tryLock()).isFalse();
        lock.readLock().unlock();
        assertComesFree(name);
    }

    @Test
    void unlock_upgradeableBeforeWrite_writerStays() throws Exception {
        DistributedReadWriteLock lock = views(client());
        Client other = client();
        lock.upgradeableReadLock().lock();
        lock.writeLock().lock();

        lock.upgradeableReadLock().unlock();

        assertThat(lock.upgradeableReadLock().isHeldByCurrentThread()).isFalse();
        lock.writeLock().checkHeld();
        assertThat(read(other).tryLock()).isFalse();
        assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock.upgradeableReadLock()::unlock);
        lock.writeLock().unlock();
        assertComesFree(name);
    }

    @Test
    void upgradeableReadLock_byTheWriter_isHeldBesideTheWriteLock() throws Exception {
        DistributedReadWriteLock lock = views(client());
        Client other = client();
        lock.writeLock().lock();
        lock.upgradeableReadLock().lock();

        lock.writeLock().unlock();

        enter(read(other)).leave();
        assertThat(upgradeable(other).tryLock()).isFalse();
        lock.upgradeableReadLock().unlock();
        assertComesFree(name);
    }

    @Test
    void upgradeableReadLock_handle_isOneAtATime() throws Exception {
        Client a = client();
        Client b = client();
        LockHandle holder = upgradeable(a).acquire();
        assertThat(upgradeable(a).tryAcquire()).isEmpty();
        assertThat(upgradeable(b).tryAcquire()).isEmpty();
        LockHandle reader = read(b).acquire();
        assertThat(write(a).tryAcquire()).isEmpty();

        reader.close();
        holder.close();

        assertComesFree(name);
    }

    /** Each reads, decides to write, and writes: nobody has written between. */
    @Test
    void upgrade_byMany_nobodyWritesBetweenReadAndWrite() throws Exception {
        AtomicInteger counter = new AtomicInteger();
        List<Future<?>> running = new ArrayList<>();
        for (Client client : List.of(client(), client(), client())) {
            DistributedReadWriteLock lock = views(client);
            running.add(actor().begin(() -> repeat(() -> increment(lock, counter))));
            running.add(actor().begin(() -> repeat(() -> increment(lock, counter))));
            running.add(actor().begin(() -> repeat(() -> read(lock.readLock(), counter))));
            running.add(actor().begin(() -> repeat(() -> write(lock.writeLock()))));
        }
        running.forEach(Await::result);

        assertThat(counter).hasValue(6 * ROUNDS);
        assertThat(resource.wrong()).isEmpty();
        assertComesFree(name);
    }

    private static void repeat(Runnable action) {
        for (int i = 0; i < ROUNDS; i++) {
            action.run();
        }
    }

    private void increment(DistributedReadWriteLock lock, AtomicInteger counter) {
        lock.upgradeableReadLock().lock();
        int seen = counter.get();
        lock.writeLock().lock();
        resource.beginWrite(lock.writeLock().fencingToken());
        counter.set(seen + 1);
        resource.endWrite();
        lock.writeLock().unlock();
        lock.upgradeableReadLock().unlock();
    }

    private void read(DistributedLock lock, AtomicInteger counter) {
        lock.lock();
        resource.beginRead(lock.fencingToken());
        int seen = counter.get();
        Thread.yield();
        assertThat(counter).hasValue(seen);
        resource.endRead();
        lock.unlock();
    }

    private void write(DistributedLock lock) {
        lock.lock();
        resource.beginWrite(lock.fencingToken());
        resource.endWrite();
        lock.unlock();
    }
}
