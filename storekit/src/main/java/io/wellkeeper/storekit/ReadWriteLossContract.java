package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.wellkeeper.DistributedLock;
import io.wellkeeper.DistributedReadWriteLock;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockLostException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** {@link DistributedReadWriteLock}: what readers and writers see when a session ends or a connection breaks. */
abstract class ReadWriteLossContract extends ReadWriteKit {

    private static void awaitLoss(DistributedLock view) {
        Await.until("'" + view.name() + "' lost", () -> !view.isHeldByCurrentThread());
    }

    private static void assertUnlockIsRefused(DistributedLock view) {
        assertThatExceptionOfType(LockLostException.class).isThrownBy(view::unlock);
    }

    @Test
    void lose_whileHeld_holderIsRefusedUntilItUnlocks() throws Exception {
        Client client = client();
        for (Function<DistributedReadWriteLock, DistributedLock> chosen : VIEWS) {
            DistributedLock view = chosen.apply(views(client));
            view.lock();
            view.lock();

            fixture.lose(client.client());
            awaitLoss(view);

            assertThat(view.getHoldCount()).isZero();
            assertThat(view.remaining()).isZero();
            assertThatExceptionOfType(LockLostException.class).isThrownBy(view::checkHeld);
            assertThatExceptionOfType(LockLostException.class).isThrownBy(view::fencingToken);
            for (int left = 2; left > 0; left--) {
                assertThatExceptionOfType(LockLostException.class).isThrownBy(view::lock);
                assertThatExceptionOfType(LockLostException.class).isThrownBy(view::tryLock);
                assertUnlockIsRefused(view);
            }
            view.lock();
            assertThat(view.getHoldCount()).isEqualTo(1);
            view.unlock();
        }
        assertComesFree(name);
    }

    @Test
    void lose_readAndWriteHeld_bothAreLost() throws Exception {
        Client client = client();
        DistributedReadWriteLock lock = views(client);
        lock.writeLock().lock();
        lock.readLock().lock();

        fixture.lose(client.client());

        for (Function<DistributedReadWriteLock, DistributedLock> view : VIEWS) {
            awaitLoss(view.apply(lock));
            assertUnlockIsRefused(view.apply(lock));
        }
        assertComesFree(name);
        lock.writeLock().lock();
        lock.writeLock().unlock();
    }

    @Test
    void lose_afterDowngrade_readIsLost() throws Exception {
        Client client = client();
        DistributedReadWriteLock lock = views(client);
        lock.writeLock().lock();
        lock.readLock().lock();
        lock.writeLock().unlock();

        fixture.lose(client.client());

        awaitLoss(lock.readLock());
        assertUnlockIsRefused(lock.readLock());
        assertComesFree(name);
    }

    @Test
    void lose_whileReading_everyReaderIsToldOnce() throws Exception {
        Client client = client();
        List<String> told = new CopyOnWriteArrayList<>();
        List<Visitor> readers = List.of(enter(read(client)), enter(read(client)));
        for (Visitor reader : readers) {
            reader.actor().run(() -> read(client).onLost(() -> told.add("thread")));
        }
        LockHandle handle = read(client).acquire();
        handle.onLost(() -> told.add("handle"));

        fixture.lose(client.client());

        Await.until(() -> "all told: " + told, () -> told.size() >= 3);
        client.events().await("lost " + name, 3);
        for (Visitor reader : readers) {
            assertThat(reader.isInside()).isFalse();
            assertThatExceptionOfType(LockLostException.class).isThrownBy(reader::leave);
        }
        assertThat(handle.isHeld()).isFalse();
        assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::close);
        assertComesFree(name);
        assertThat(told).containsExactlyInAnyOrder("thread", "thread", "handle");
        assertThat(client.events().count("lost " + name)).isEqualTo(3);
    }

    @Test
    void lose_whileOneOfTwoClientsReads_writerWaitsForTheOther() throws Exception {
        Client loser = client();
        Client steady = client();
        Client writing = client();
        Visitor lost = enter(read(loser));
        Visitor reader = enter(read(steady));
        Visitor writer = queueUp(writing, write(writing));

        fixture.lose(loser.client());
        Await.until("loss of one reader", () -> !lost.isInside());
        assertThat(writer.in()).isNotDone();
        assertThat(reader.isInside()).isTrue();
        reader.leave();

        writer.visit();
        assertThatExceptionOfType(LockLostException.class).isThrownBy(lost::leave);
    }

    @Test
    void cut_readerForLong_knowsBeforeTheWriterIsLetIn() throws Exception {
        assertKnowsBeforeTheNextIsLetIn(DistributedReadWriteLock::readLock, DistributedReadWriteLock::writeLock);
    }

    @Test
    void cut_writerForLong_knowsBeforeReadersAreLetIn() throws Exception {
        assertKnowsBeforeTheNextIsLetIn(DistributedReadWriteLock::writeLock, DistributedReadWriteLock::readLock);
    }

    private void assertKnowsBeforeTheNextIsLetIn(
            Function<DistributedReadWriteLock, DistributedLock> held,
            Function<DistributedReadWriteLock, DistributedLock> wanted)
            throws Exception {
        Client loser = mortalClient();
        Client next = client();
        DistributedLock mine = held.apply(views(loser));
        mine.lock();
        long token = mine.fencingToken();
        Visitor waiter = queueUp(next, wanted.apply(views(next)));

        fixture.cut(loser.client());
        waiter.awaitIn();

        assertThat(mine.isHeldByCurrentThread()).isFalse();
        assertThat(waiter.token()).isGreaterThan(token);
        fixture.mend(loser.client());
        assertUnlockIsRefused(mine);
        assertThat(waiter.isInside()).isTrue();
        waiter.leave();
        mine.lock();
        mine.unlock();
    }

    @Test
    void lose_waitingWriter_readersBehindItComeInAndItComesAgain() throws Exception {
        Client a = client();
        Client loser = client();
        Client c = client();
        Visitor reader = enter(read(a));
        Visitor writer = queueUp(loser, write(loser));
        Visitor late = queueUp(c, read(c));

        fixture.lose(loser.client());

        late.visit();
        assertThat(reader.isInside()).isTrue();
        reader.leave();
        writer.visit();
        assertComesFree(name);
    }

    @Test
    void unlock_whileCut_ticketIsGivenBackAfterwards() throws Exception {
        for (Function<DistributedReadWriteLock, DistributedLock> chosen : VIEWS) {
            Client client = client();
            DistributedLock view = chosen.apply(views(client));
            view.lock();
            fixture.cut(client.client());

            view.unlock();
            assertThat(view.isHeldByCurrentThread()).isFalse();
            fixture.mend(client.client());

            assertComesFree(name);
        }
    }

    @Test
    void downgrade_whileCut_isSeenAfterwards() throws Exception {
        Client client = client();
        Client other = client();
        DistributedReadWriteLock lock = views(client);
        lock.writeLock().lock();
        lock.readLock().lock();
        Visitor reader = queueUp(other, read(other));
        fixture.cut(client.client());

        lock.writeLock().unlock();
        assertThat(lock.readLock().isHeldByCurrentThread()).isTrue();
        fixture.mend(client.client());

        reader.visit();
        lock.readLock().unlock();
        assertComesFree(name);
    }

    @Test
    void evict_theReadersTicket_isLostToAllOfThem() throws Exception {
        Client client = watchfulClient();
        Client next = client();
        List<Visitor> readers = List.of(enter(read(client)), enter(read(client)));
        Visitor writer = queueUp(next, write(next));

        fixture.evict(name);

        writer.awaitIn();
        for (Visitor reader : readers) {
            Await.until("loss of the readers", () -> !reader.isInside());
            assertThatExceptionOfType(LockLostException.class).isThrownBy(reader::leave);
        }
        writer.leave();
    }

    @Test
    void lose_againAndAgainUnderLoad_everyoneGetsInAtLast() throws Exception {
        Client loser = client();
        Client steady = client();
        List<Future<?>> running = new ArrayList<>();
        for (Client client : List.of(loser, steady)) {
            for (Function<DistributedReadWriteLock, DistributedLock> view : VIEWS) {
                running.add(actor().begin(() -> visitOften(view.apply(views(client)))));
            }
        }
        for (int i = 0; i < 5; i++) {
            fixture.lose(loser.client());
            assertComesFree(name + "-between");
        }

        running.forEach(Await::result);
        assertComesFree(name);
    }

    private static void visitOften(DistributedLock view) {
        for (int i = 0; i < 20; i++) {
            view.lock();
            try {
                view.unlock();
            } catch (LockLostException expected) {
                assertThat(view.isHeldByCurrentThread()).isFalse();
            }
        }
    }

    @Test
    void close_whileHeld_isLostToItsHolder() throws Exception {
        for (Function<DistributedReadWriteLock, DistributedLock> chosen : VIEWS) {
            Client closing = client();
            DistributedLock view = chosen.apply(views(closing));
            view.lock();

            closing.client().close();

            assertThat(view.isHeldByCurrentThread()).isFalse();
            assertUnlockIsRefused(view);
            assertComesFree(name);
        }
    }
}
