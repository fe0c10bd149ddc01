package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.DistributedReadWriteLock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** {@link DistributedReadWriteLock}: the writer becomes a reader, and no other writer comes between. */
abstract class DowngradeContract extends ReadWriteKit {

    private static final int ROUNDS = 10;

    private final SharedResource resource = new SharedResource();

    /** A thread that holds both locks, which is the first step of a downgrade. */
    private Visitor writerWhoReads(Client client) {
        Visitor writer = enter(write(client));
        writer.actor().run(read(client)::lock);
        return writer;
    }

    @Test
    void downgrade_waitingReaders_comeInAtOnce() throws Exception {
        Client a = client();
        Client b = client();
        Visitor former = writerWhoReads(a);
        Visitor sameClient = queueUp(a, read(a));
        Visitor otherClient = queueUp(b, read(b));

        former.leave();

        sameClient.awaitIn();
        otherClient.awaitIn();
        assertThat(former.actor().call(read(a)::getHoldCount)).isEqualTo(1);
        assertThat(former.actor().call(write(a)::isHeldByCurrentThread)).isFalse();
        former.actor().run(read(a)::unlock);
        sameClient.leave();
        otherClient.leave();
        assertComesFree(name);
    }

    @Test
    void downgrade_newReaders_comeIn() throws Exception {
        Client a = client();
        Client b = client();
        Visitor former = writerWhoReads(a);
        former.leave();

        Visitor reader = enter(read(b));

        assertThat(former.actor().call(read(a)::isHeldByCurrentThread)).isTrue();
        assertThat(write(b).tryLock()).isFalse();
        former.actor().run(read(a)::unlock);
        reader.leave();
        assertComesFree(name);
    }

    @Test
    void downgrade_waitingWriter_staysOutUntilTheReadersHaveLeft() throws Exception {
        Client a = client();
        Client b = client();
        Client c = client();
        AtomicBoolean reading = new AtomicBoolean(true);
        Visitor former = writerWhoReads(a);
        Visitor reader = queueUp(b, read(b));
        Actor writer = actor();
        Future<?> acquired = c.queueUp(writer, name, () -> {
            write(c).lock();
            assertThat(reading).isFalse();
        });

        former.leave();
        reader.visit();
        assertThat(acquired).isNotDone();
        former.actor().run(() -> {
            read(a).checkHeld();
            reading.set(false);
            read(a).unlock();
        });

        Await.result(acquired);
        writer.run(write(c)::unlock);
        assertComesFree(name);
    }

    @Test
    void downgrade_nestedWriteHolds_isOneOnlyAfterTheLast() throws Exception {
        Client a = client();
        Client b = client();
        Visitor writer = writerWhoReads(a);
        writer.actor().run(write(a)::lock);

        writer.leave();

        assertThat(read(b).tryLock()).isFalse();
        writer.leave();
        enter(read(b)).leave();
        writer.actor().run(read(a)::unlock);
        assertComesFree(name);
    }

    @Test
    void downgrade_again_isPossibleForTheNextWriter() throws Exception {
        Client a = client();
        Client b = client();
        for (Client client : List.of(a, b, a, a)) {
            Visitor former = writerWhoReads(client);
            long written = former.token();
            former.leave();
            assertThat(former.actor().call(read(client)::fencingToken)).isGreaterThanOrEqualTo(written);
            former.actor().run(read(client)::unlock);
        }
        assertComesFree(name);
    }

    /** A ticket has 64 tokens, and a read hold beside the write hold takes none of them. */
    @Test
    void fencingToken_ofManyReadsBesideTheWriter_isTheWriters() throws Exception {
        Client a = client();
        Client b = client();
        long last = 0;
        for (int round = 0; round < 3; round++) {
            DistributedReadWriteLock mine = views(a);
            mine.writeLock().lock();
            if (round > 0) {
                assertThat(mine.writeLock().fencingToken()).isGreaterThan(last);
            }
            for (int i = 0; i < 200; i++) {
                mine.readLock().lock();
                last = mine.readLock().fencingToken();
                assertThat(mine.writeLock().fencingToken()).isEqualTo(last);
                mine.readLock().unlock();
            }
            mine.writeLock().unlock();

            Visitor next = enter(write(b));
            assertThat(next.token()).isGreaterThan(last);
            last = next.token();
            next.leave();
        }
        assertComesFree(name);
    }

    /** A writer that was handed the ticket has a token of its own, even if it asks for the token only as a reader. */
    @Test
    void fencingToken_ofAHandedOverWriterWhoReadsOn_isLargerThanTheLast() throws Exception {
        Client client = client();
        Visitor first = enter(write(client));
        long before = first.token();
        Visitor second = queueUp(client, write(client));
        first.leave();
        second.awaitIn();

        second.actor().run(read(client)::lock);
        second.actor().run(write(client)::unlock);

        assertThat(second.actor().call(read(client)::fencingToken)).isGreaterThan(before);
        second.actor().run(read(client)::unlock);
        assertComesFree(name);
    }

    /** After the downgrade each thread reads what it has written, although others wait to write. */
    @Test
    void downgrade_byMany_readersSeeWhatTheyWrote() throws Exception {
        AtomicInteger written = new AtomicInteger();
        List<Future<?>> running = new ArrayList<>();
        for (Client client : List.of(client(), client(), client())) {
            for (int thread = 0; thread < 2; thread++) {
                DistributedReadWriteLock lock = views(client);
                running.add(actor().begin(() -> {
                    for (int i = 0; i < ROUNDS; i++) {
                        lock.writeLock().lock();
                        resource.beginWrite(lock.writeLock().fencingToken());
                        int mine = written.incrementAndGet();
                        resource.endWrite();
                        lock.readLock().lock();
                        lock.writeLock().unlock();
                        resource.beginRead(lock.readLock().fencingToken());
                        assertThat(written).hasValue(mine);
                        Thread.yield();
                        assertThat(written).hasValue(mine);
                        resource.endRead();
                        lock.readLock().unlock();
                    }
                }));
            }
        }
        running.forEach(Await::result);
        assertThat(resource.wrong()).isEmpty();
        assertComesFree(name);
    }
}
