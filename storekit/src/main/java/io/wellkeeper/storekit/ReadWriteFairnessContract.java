package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.wellkeeper.DistributedLock;
import io.wellkeeper.DistributedReadWriteLock;
import io.wellkeeper.LockClientClosedException;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** {@link DistributedReadWriteLock}: first come, first served, for readers and writers; neither starve. */
abstract class ReadWriteFairnessContract extends ReadWriteKit {

    private static final Duration LONG = Duration.ofDays(1);

    private final List<String> order = new CopyOnWriteArrayList<>();

    /** A thread that waits for the lock, notes its label when it has the lock, and releases it. */
    private Future<?> visitor(Client client, DistributedLock view, String label) {
        return client.queueUp(actor(), name, () -> {
            view.lock();
            order.add(label);
            view.unlock();
        });
    }

    @Test
    void readLock_behindAWaitingWriter_waitsForIt() throws Exception {
        Client a = client();
        Client b = client();
        Client c = client();
        Visitor reader = enter(read(a));
        Visitor writer = queueUp(b, write(b));
        assertThat(read(c).tryLock()).isFalse();
        Visitor late = queueUp(c, read(c));

        reader.leave();
        writer.awaitIn();
        assertThat(late.in()).isNotDone();
        assertThat(writer.isInside()).isTrue();
        writer.leave();
        late.visit();
        assertComesFree(name);
    }

    @Test
    void lock_manyClientsWait_theirTurnsComeInTheOrderOfTheirNumbers() throws Exception {
        Client first = client();
        Visitor writer = enter(write(first));
        List<Future<?>> visitors = new ArrayList<>();
        for (String label : List.of("read 1", "write 2", "read 3", "write 4", "write 5", "read 6")) {
            Client client = client();
            visitors.add(visitor(client, label.startsWith("read") ? read(client) : write(client), label));
        }

        writer.leave();

        visitors.forEach(Await::result);
        assertThat(order).containsExactly("read 1", "write 2", "read 3", "write 4", "write 5", "read 6");
    }

    @Test
    void readLock_manyWaitForOneWriter_comeInTogether() throws Exception {
        Client a = client();
        Visitor writer = enter(write(a));
        List<Visitor> readers = new ArrayList<>();
        for (Client client : List.of(client(), client(), a)) {
            readers.add(queueUp(client, read(client)));
            readers.add(queueUp(client, read(client)));
        }

        writer.leave();

        readers.forEach(Visitor::awaitIn);
        for (Visitor reader : readers) {
            assertThat(reader.isInside()).isTrue();
        }
        readers.forEach(Visitor::leave);
        assertComesFree(name);
    }

    @Test
    void writeLock_waitingWriterIsInterrupted_readersBehindItComeIn() throws Exception {
        assertReadersComeInWhenTheWriterGivesUp((waiter, waiting) -> {
            waiter.interrupt();
            assertInterrupted(waiting);
        });
    }

    @Test
    void writeLock_waitingWritersClientCloses_readersBehindItComeIn() throws Exception {
        Client a = client();
        Client closing = client();
        Client c = client();
        Visitor reader = enter(read(a));
        Visitor writer = queueUp(closing, write(closing));
        Visitor late = queueUp(c, read(c));

        closing.client().close();

        late.awaitIn();
        assertThatExceptionOfType(LockClientClosedException.class).isThrownBy(writer::awaitIn);
        assertThat(reader.isInside()).isTrue();
        reader.leave();
        late.leave();
    }

    private interface End {
        void of(Actor waiter, Future<?> waiting) throws Exception;
    }

    private void assertReadersComeInWhenTheWriterGivesUp(End end) throws Exception {
        Client a = client();
        Client b = client();
        Client c = client();
        Visitor reader = enter(read(a));
        Actor waiter = actor();
        Future<?> waiting = b.queueUp(waiter, name, write(b)::lockInterruptibly);
        Visitor sameClient = queueUp(b, read(b));
        Visitor otherClient = queueUp(c, read(c));

        end.of(waiter, waiting);

        sameClient.awaitIn();
        otherClient.awaitIn();
        assertThat(reader.isInside()).isTrue();
        List.of(reader, sameClient, otherClient).forEach(Visitor::leave);
        assertComesFree(name);
    }

    @Test
    void writeLock_waitingWriterTimesOut_readersBehindItComeIn() throws Exception {
        Client a = client();
        Client b = client();
        Client c = client();
        Visitor reader = enter(read(a));
        Future<?> timed = b.queueUpBriefly(
                actor(),
                name,
                () -> assertThat(write(b).tryLock(50, TimeUnit.MILLISECONDS)).isFalse());
        Future<?> late = actor().begin(() -> {
            read(c).lock();
            read(c).unlock();
        });

        Await.result(timed);
        Await.result(late);

        assertThat(reader.isInside()).isTrue();
        reader.leave();
        assertComesFree(name);
    }

    @Test
    void writeLock_asyncWriterIsCancelled_readersBehindItComeIn() throws Exception {
        Client a = client();
        Client b = client();
        Client c = client();
        Visitor reader = enter(read(a));
        CompletableFuture<LockHandle> writer = write(b).acquireAsync();
        b.events().await("contended " + name, 1);
        CompletableFuture<LockHandle> late = read(c).acquireAsync();
        c.events().await("contended " + name, 1);

        assertThat(writer.cancel(true)).isTrue();

        Await.get(late).close();
        assertThat(reader.isInside()).isTrue();
        reader.leave();
        assertComesFree(name);
    }

    @Test
    void handOvers_none_readerOfTheSameClientDoesNotPassAWaitingWriter() throws Exception {
        assertJoinersAreBounded(LockOptions.builder().handOvers(0).build(), 0);
    }

    @Test
    void handOvers_two_noMoreReadersOfTheSameClientPassAWaitingWriter() throws Exception {
        assertJoinersAreBounded(
                LockOptions.builder().handOvers(2).handOverTime(LONG).build(), 2);
    }

    @Test
    void handOverTime_over_readerOfTheSameClientDoesNotPassAWaitingWriter() throws Exception {
        assertJoinersAreBounded(
                LockOptions.builder().handOverTime(Duration.ZERO).build(), 0);
    }

    /**
     * One client reads, a writer of another client waits, and more readers of the first client come one after the
     * other.
     */
    private void assertJoinersAreBounded(LockOptions options, int bound) throws Exception {
        Client a = client(options);
        Client b = client();
        Visitor first = enter(read(a));
        Visitor writer = queueUp(b, write(b));
        List<Visitor> joiners = new ArrayList<>();
        for (int i = 0; i < bound + 2; i++) {
            joiners.add(comesAndIsDecided(a, actor()));
        }

        List<Visitor> inside =
                joiners.stream().filter(joiner -> joiner.in().isDone()).toList();
        assertThat(inside).hasSizeLessThanOrEqualTo(bound);
        inside.forEach(Visitor::leave);
        first.leave();

        writer.visit();
        joiners.removeAll(inside);
        joiners.forEach(Visitor::visit);
        assertComesFree(name);
    }

    /** A reader that, when this returns, either holds the lock or is known to wait. */
    private Visitor comesAndIsDecided(Client client, Actor actor) {
        int before = client.events().count("contended " + name);
        Visitor visitor = new Visitor(actor, read(client), actor.begin(read(client)::lock));
        Await.until(
                "a reader in or waiting",
                () -> visitor.in().isDone() || client.events().count("contended " + name) > before);
        return visitor;
    }

    @Test
    void writeLock_readersOverlapWithoutEnd_getsIn() throws Exception {
        Client a = client();
        Client b = client();
        Visitor first = enter(read(a));
        Visitor writer = queueUp(b, write(b));
        Actor second = actor();
        Future<?> relay = actor().begin(() -> {
            Visitor inside = first;
            Actor relief = second;
            while (!writer.in().isDone()) {
                Visitor next = comesAndIsDecided(a, relief);
                inside.leave();
                next.awaitIn();
                relief = inside.actor();
                inside = next;
            }
            inside.leave();
        });

        writer.visit();

        Await.result(relay);
        assertComesFree(name);
    }

    @Test
    void readLock_writersFollowOneAnotherWithoutEnd_getsIn() throws Exception {
        Client a = client();
        Client b = client();
        Visitor first = enter(write(a));
        Visitor reader = queueUp(b, read(b));
        List<Future<?>> writers = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            writers.add(actor().begin(() -> {
                while (!reader.in().isDone()) {
                    write(a).lock();
                    write(a).unlock();
                }
            }));
        }
        first.leave();

        reader.visit();

        writers.forEach(Await::result);
        assertComesFree(name);
    }

    @Test
    void retain_newcomer_isLetIn() throws Exception {
        Client keeper = client(LockOptions.builder().retain(true).build());
        Client newcomer = client();
        for (Function<DistributedReadWriteLock, DistributedLock> kept : VIEWS) {
            for (Function<DistributedReadWriteLock, DistributedLock> wanted : VIEWS) {
                for (int again = 0; again < 3; again++) {
                    Visitor visitor = enter(kept.apply(views(keeper)));
                    visitor.leave();
                }
                enter(wanted.apply(views(newcomer))).leave();
            }
        }
        assertComesFree(name);
    }
}
