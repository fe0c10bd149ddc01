package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.wellkeeper.DistributedLock;
import io.wellkeeper.DistributedReadWriteLock;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockLostException;
import io.wellkeeper.LockOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/**
 * {@link DistributedReadWriteLock}: which holders exclude each other, who may acquire again, and the views as locks.
 * These are the promises of {@code ReentrantReadWriteLock} to its threads, over any store with queues.
 */
abstract class ReadWriteLockContract extends ReadWriteKit {

    /** Asserts that no other thread of any client gets in, by any view or by the lock of the same name. */
    private void assertNobodyElseGetsIn(Client... clients) {
        for (Client client : clients) {
            for (Function<DistributedReadWriteLock, DistributedLock> view : VIEWS) {
                assertThat(view.apply(views(client)).tryLock()).isFalse();
                assertThat(view.apply(views(client)).tryAcquire()).isEmpty();
            }
            assertThat(client.lock(name).tryLock()).isFalse();
        }
    }

    @Test
    void views_haveTheNameOfTheLock() throws Exception {
        DistributedReadWriteLock lock = views(client());

        assertThat(lock.name()).isEqualTo(name);
        for (Function<DistributedReadWriteLock, DistributedLock> view : VIEWS) {
            assertThat(view.apply(lock).name()).isEqualTo(name);
        }
    }

    @Test
    void readWriteLock_badName_isRefused() throws Exception {
        Client client = client();
        for (String bad : List.of("", "a\0b", "\ud83d", "x".repeat(513))) {
            assertThatExceptionOfType(IllegalArgumentException.class)
                    .isThrownBy(() -> client.queues().readWriteLock(bad))
                    .withMessageStartingWith("lock name");
        }
    }

    @Test
    void readLock_manyThreadsAndClients_areInTogether() throws Exception {
        List<Visitor> readers = new ArrayList<>();
        for (Client client : List.of(client(), client(), client())) {
            readers.add(enter(read(client)));
            readers.add(enter(read(client)));
        }

        for (Visitor reader : readers) {
            assertThat(reader.isInside()).isTrue();
            assertThat(reader.actor().call(reader.lock()::getHoldCount)).isEqualTo(1);
            assertThat(reader.actor().call(reader.lock()::remaining)).isPositive();
        }
        readers.forEach(Visitor::leave);
        assertComesFree(name);
    }

    @Test
    void readLock_held_keepsWritersOutUntilTheLastReaderLeaves() throws Exception {
        Client a = client();
        Client b = client();
        Visitor first = enter(read(a));
        Visitor second = enter(read(a));
        Visitor third = enter(read(b));
        for (Visitor reader : List.of(first, third, second)) {
            for (Client client : List.of(a, b)) {
                assertThat(write(client).tryLock()).isFalse();
                assertThat(client.lock(name).tryLock()).isFalse();
            }
            reader.leave();
        }
        enter(write(b)).leave();
        assertComesFree(name);
    }

    @Test
    void readLock_ofOneClient_shareOneTicket() throws Exception {
        LockOptions patient =
                LockOptions.builder().handOverTime(Duration.ofMinutes(5)).build();
        Client a = client(options().clientName("a").lockDefaults(patient));
        Client b = client(options().clientName("b"));
        Visitor first = enter(read(a));
        Visitor second = enter(read(a));
        Visitor third = enter(read(b));

        assertThat(client().queues().admin().inspect(name).holders())
                .extracting(holder -> holder.clientName())
                .containsExactly("a", "b");

        first.leave();
        assertThat(b.queues().admin().inspect(name).holders())
                .extracting(holder -> holder.clientName())
                .containsExactly("a", "b");
        second.leave();
        third.leave();
        assertComesFree(name);
    }

    @Test
    void writeLock_held_keepsEverybodyOut() throws Exception {
        Client a = client();
        Visitor writer = enter(write(a));

        assertNobodyElseGetsIn(a, client());

        assertThat(writer.isInside()).isTrue();
        writer.leave();
        assertComesFree(name);
    }

    @Test
    void lock_ofTheSameName_excludesAllViewsAndIsExcluded() throws Exception {
        Client a = client();
        Client b = client();
        Visitor plain = enter(b.lock(name));
        for (Function<DistributedReadWriteLock, DistributedLock> view : VIEWS) {
            assertThat(view.apply(views(a)).tryLock()).isFalse();
        }
        plain.leave();
        for (Function<DistributedReadWriteLock, DistributedLock> view : VIEWS) {
            Visitor visitor = enter(view.apply(views(a)));
            assertThat(b.lock(name).tryLock()).isFalse();
            visitor.leave();
            assertComesFree(name);
        }
    }

    @Test
    void lock_again_eachViewCountsForItself() throws Exception {
        DistributedReadWriteLock lock = views(client());
        for (Function<DistributedReadWriteLock, DistributedLock> chosen : VIEWS) {
            DistributedLock view = chosen.apply(lock);
            view.lock();
            view.lockInterruptibly();
            assertThat(view.tryLock()).isTrue();
            assertThat(view.tryLock(1, TimeUnit.DAYS)).isTrue();
            for (Function<DistributedReadWriteLock, DistributedLock> other : VIEWS) {
                assertThat(other.apply(lock).getHoldCount()).isEqualTo(other == chosen ? 4 : 0);
                assertThat(other.apply(lock).isHeldByCurrentThread()).isEqualTo(other == chosen);
            }
            for (int left = 3; left >= 0; left--) {
                view.unlock();
                assertThat(view.getHoldCount()).isEqualTo(left);
            }
            assertComesFree(name);
        }
    }

    @Test
    void readLock_againWhileAWriterWaits_doesNotWait() throws Exception {
        Client a = client();
        Client b = client();
        Visitor reader = enter(read(a));
        Visitor writer = queueUp(b, write(b));

        reader.actor().run(read(a)::lock);
        assertThat(reader.actor().call(() -> read(a).tryLock())).isTrue();

        assertThat(reader.actor().call(read(a)::getHoldCount)).isEqualTo(3);
        reader.leave();
        reader.leave();
        assertThat(writer.in()).isNotDone();
        reader.leave();
        writer.visit();
    }

    @Test
    void readLock_byTheWriter_isHeldBesideTheWriteLock() throws Exception {
        Client a = client();
        DistributedReadWriteLock lock = views(a);
        lock.writeLock().lock();
        lock.readLock().lock();
        assertThat(lock.readLock().tryLock()).isTrue();
        assertThat(lock.writeLock().tryLock()).isTrue();
        assertThat(lock.readLock().getHoldCount()).isEqualTo(2);
        assertThat(lock.writeLock().getHoldCount()).isEqualTo(2);

        lock.readLock().unlock();
        lock.writeLock().unlock();
        lock.readLock().unlock();

        assertThat(lock.readLock().isHeldByCurrentThread()).isFalse();
        assertThat(lock.writeLock().getHoldCount()).isEqualTo(1);
        assertNobodyElseGetsIn(client());
        lock.writeLock().unlock();
        assertComesFree(name);
    }

    @Test
    void lock_notReentrantAndHeld_isRefused() throws Exception {
        DistributedReadWriteLock lock =
                views(client(LockOptions.builder().reentrant(false).build()));
        for (Function<DistributedReadWriteLock, DistributedLock> chosen : VIEWS) {
            DistributedLock view = chosen.apply(lock);
            view.lock();

            assertThatExceptionOfType(IllegalStateException.class).isThrownBy(view::lock);
            assertThat(view.tryLock()).isFalse();
            assertThat(view.getHoldCount()).isEqualTo(1);

            view.unlock();
            assertComesFree(name);
        }
    }

    @Test
    void readLock_notReentrantAndHeldByTheWriter_isRefused() throws Exception {
        DistributedReadWriteLock lock =
                views(client(LockOptions.builder().reentrant(false).build()));
        lock.writeLock().lock();
        lock.readLock().lock();

        assertThatExceptionOfType(IllegalStateException.class).isThrownBy(lock.readLock()::lock);
        assertThat(lock.readLock().tryLock()).isFalse();
        assertThat(lock.readLock().tryLock(1, TimeUnit.DAYS)).isFalse();

        lock.readLock().unlock();
        lock.writeLock().unlock();
        assertComesFree(name);
    }

    @Test
    void writeLock_byAReader_isRefusedAtOnce() throws Exception {
        DistributedReadWriteLock lock = views(client());

        assertRefusedToAReader(lock, lock.writeLock(), lock.readLock()::lock);
    }

    @Test
    void writeLock_byAFormerWriterThatReads_isRefusedAtOnce() throws Exception {
        DistributedReadWriteLock lock = views(client());

        assertRefusedToAReader(lock, lock.writeLock(), () -> {
            lock.writeLock().lock();
            lock.readLock().lock();
            lock.writeLock().unlock();
        });
    }

    private void assertRefusedToAReader(
            DistributedReadWriteLock lock, DistributedLock wanted, Actor.Action beginReading) {
        Actor reader = actor();
        reader.run(beginReading);
        for (Actor.Action waiting : List.<Actor.Action>of(wanted::lock, wanted::lockInterruptibly, wanted::acquire)) {
            assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> reader.run(waiting));
        }
        assertThat(reader.call(() -> wanted.tryLock())).isFalse();
        assertThat(reader.call(() -> wanted.tryLock(1, TimeUnit.DAYS))).isFalse();
        assertThat(reader.call(() -> wanted.tryAcquire())).isEmpty();

        assertThat(reader.call(lock.readLock()::getHoldCount)).isEqualTo(1);
        assertThat(reader.call(wanted::isHeldByCurrentThread)).isFalse();
        reader.run(lock.readLock()::unlock);
        reader.run(wanted::lock);
        reader.run(wanted::unlock);
    }

    @Test
    void unlock_notHeld_throwsAndChangesNothing() throws Exception {
        DistributedReadWriteLock lock = views(client());
        for (Function<DistributedReadWriteLock, DistributedLock> held : VIEWS) {
            Visitor holder = enter(held.apply(lock));
            for (Function<DistributedReadWriteLock, DistributedLock> view : VIEWS) {
                assertNotOwner(view.apply(lock)::unlock);
                assertNotOwner(view.apply(lock)::fencingToken);
                if (view != held) {
                    assertNotOwner(() -> holder.actor().run(view.apply(lock)::unlock));
                    assertNotOwner(() -> holder.actor().run(view.apply(lock)::checkHeld));
                }
            }
            assertThat(holder.isInside()).isTrue();
            holder.leave();
            assertNotOwner(holder::leave);
            assertComesFree(name);
        }
    }

    private static void assertNotOwner(Runnable call) {
        assertThatExceptionOfType(IllegalMonitorStateException.class)
                .isThrownBy(call::run)
                .isNotInstanceOf(LockLostException.class);
    }

    @Test
    void acquire_readHandles_areHeldTogetherAndBoundToNoThread() throws Exception {
        Client a = client();
        Client b = client();
        LockHandle first = read(a).acquire();
        LockHandle second = read(a).acquire();
        LockHandle third = read(b).tryAcquire().orElseThrow();
        assertThat(read(a).isHeldByCurrentThread()).isFalse();
        assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(read(a)::unlock);
        assertThat(write(a).tryAcquire()).isEmpty();
        assertThat(write(a).tryLock()).isFalse();

        actor().run(first::close);
        assertThat(first.isHeld()).isFalse();
        first.close();
        second.close();
        assertThat(third.isHeld()).isTrue();
        assertThat(write(a).tryAcquire()).isEmpty();
        third.close();

        LockHandle writer = write(a).acquire();
        assertNobodyElseGetsIn(a, b);
        writer.close();
        assertComesFree(name);
    }

    @Test
    void tryAcquire_severalReadersOfOneClientAtOnce_allAreIn() throws Exception {
        DistributedLock read = read(client());
        for (int round = 0; round < 20; round++) {
            List<CompletableFuture<Optional<LockHandle>>> tries = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                tries.add(read.tryAcquireAsync(Duration.ZERO));
            }

            for (CompletableFuture<Optional<LockHandle>> one : tries) {
                assertThat(Await.get(one)).isPresent();
            }
            for (CompletableFuture<Optional<LockHandle>> one : tries) {
                Await.get(one).orElseThrow().close();
            }
        }
    }

    @Test
    void fencingToken_ofReadersAndWriters_isLargerThanThatOfEveryWriterBefore() throws Exception {
        Client a = client();
        Client b = client();
        long written = 0;
        for (int i = 0; i < 3; i++) {
            for (Client client : List.of(a, b)) {
                Visitor writer = enter(write(client));
                assertThat(writer.token()).isGreaterThan(written);
                written = writer.token();
                writer.actor().run(write(client)::lock);
                assertThat(writer.token()).isEqualTo(written);
                writer.leave();
                writer.leave();
                for (Client reading : List.of(a, b)) {
                    Visitor reader = enter(read(reading));
                    long read = reader.token();
                    assertThat(read).isGreaterThan(written);
                    reader.actor().run(read(reading)::lock);
                    assertThat(reader.token()).isEqualTo(read);
                    reader.leave();
                    reader.leave();
                }
            }
        }
    }

    @Test
    void newCondition_ofTheReadLock_isNotSupported() throws Exception {
        DistributedReadWriteLock lock = views(client());
        DistributedLock view = lock.readLock();
        view.lock();
        assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(view::newCondition);
        assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(() -> view.newCondition("x"));
        view.unlock();
    }

    @Test
    void await_readingToo_isRefusedAndKeepsBoth() throws Exception {
        DistributedReadWriteLock lock = views(client());
        lock.writeLock().lock();
        lock.readLock().lock();
        assertThatIllegalStateException()
                .isThrownBy(() -> lock.writeLock().newCondition().await(1, TimeUnit.MILLISECONDS))
                .withMessageContaining("read lock");
        lock.readLock().unlock();
        lock.writeLock().unlock();
    }
}
