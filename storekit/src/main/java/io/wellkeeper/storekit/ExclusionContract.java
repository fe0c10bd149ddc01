package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.wellkeeper.DistributedLock;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockListener;
import io.wellkeeper.LockListener.Acquisition;
import io.wellkeeper.LockOptions;
import io.wellkeeper.LockSource;
import io.wellkeeper.LockStoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** One holder at a time, growing tokens, and nothing left behind, whatever threads and clients do at the same time. */
abstract class ExclusionContract extends LockKit {

    private static final int CLIENTS = 3;
    private static final int THREADS = 3;
    private static final int ROUNDS = 20;

    private final ProtectedResource resource = new ProtectedResource();

    private interface Round {
        void run(DistributedLock lock) throws Exception;
    }

    /** All threads of all clients do the same at the same time. */
    private void crowd(LockOptions options, int rounds, Round round) throws Exception {
        List<Future<?>> running = new ArrayList<>();
        for (int c = 0; c < CLIENTS; c++) {
            DistributedLock lock = client(options).lock(name);
            for (int t = 0; t < THREADS; t++) {
                running.add(actor().begin(() -> {
                    for (int i = 0; i < rounds; i++) {
                        round.run(lock);
                    }
                }));
            }
        }
        running.forEach(Await::result);
    }

    private void visit(DistributedLock lock) {
        if (fixture.hasTokens()) {
            resource.visit(lock.fencingToken());
        } else {
            resource.visit();
        }
    }

    private void lockAndVisit(DistributedLock lock) {
        lock.lock();
        try {
            visit(lock);
        } finally {
            lock.unlock();
        }
    }

    private void assertAllWereAlone() {
        assertThat(resource.wrong()).isEmpty();
        assertThat(resource.visits()).isEqualTo(CLIENTS * THREADS * ROUNDS);
    }

    @Test
    void lock_byManyThreadsAndClients_oneAtATime() throws Exception {
        crowd(LockOptions.defaults(), ROUNDS, this::lockAndVisit);
        assertAllWereAlone();
    }

    @Test
    void lock_byManyWithoutHandOvers_oneAtATime() throws Exception {
        crowd(LockOptions.builder().handOvers(0).build(), ROUNDS, this::lockAndVisit);
        assertAllWereAlone();
    }

    @Test
    void lock_byManyWithMostHandOvers_oneAtATime() throws Exception {
        crowd(
                LockOptions.builder()
                        .handOvers(LockOptions.MAX_HAND_OVERS)
                        .handOverTime(Duration.ofDays(1))
                        .build(),
                ROUNDS,
                this::lockAndVisit);
        assertAllWereAlone();
    }

    @Test
    void lock_byManyWithRetainedTickets_oneAtATime() throws Exception {
        crowd(LockOptions.builder().retain(true).build(), ROUNDS, this::lockAndVisit);
        assertAllWereAlone();
    }

    @Test
    void lock_byThreadsOfOneClient_tokensGrowBeyondTheHandOverBound() throws Exception {
        Assumptions.assumeTrue(fixture.hasTokens(), "this store has no fencing token");
        DistributedLock lock =
                client(LockOptions.builder().handOvers(2).build()).lock(name);
        List<Future<?>> running = new ArrayList<>();
        for (int t = 0; t < THREADS; t++) {
            running.add(actor().begin(() -> {
                for (int i = 0; i < 100; i++) {
                    lockAndVisit(lock);
                }
            }));
        }
        running.forEach(Await::result);

        assertThat(resource.wrong()).isEmpty();
        assertThat(resource.visits()).isEqualTo(300);
    }

    @Test
    void fencingToken_reentrant_isTheSame() throws Exception {
        Assumptions.assumeTrue(fixture.hasTokens(), "this store has no fencing token");
        DistributedLock lock = client().lock(name);
        assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::fencingToken);
        lock.lock();
        long outer = lock.fencingToken();
        lock.lock();

        assertThat(outer).isPositive();
        assertThat(lock.fencingToken()).isEqualTo(outer);
        lock.unlock();
        assertThat(lock.fencingToken()).isEqualTo(outer);
        lock.unlock();
        assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::fencingToken);
        lock.lock();
        assertThat(lock.fencingToken()).isGreaterThan(outer);
        lock.unlock();
    }

    @Test
    void fencingToken_storeHasNone_isNotSupported() throws Exception {
        Assumptions.assumeFalse(fixture.hasTokens(), "this store has a fencing token");
        DistributedLock lock = client().lock(name);
        lock.lock();

        assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(lock::fencingToken);
        lock.unlock();
    }

    @Test
    void tryLock_stormOfTimeouts_leavesNothing() throws Exception {
        crowd(LockOptions.defaults(), ROUNDS, this::tryBriefly);
        assertThat(resource.wrong()).isEmpty();
        assertComesFree(name);
    }

    private void tryBriefly(DistributedLock lock) throws InterruptedException {
        boolean locked;
        try {
            locked = lock.tryLock(ThreadLocalRandom.current().nextInt(3000), TimeUnit.MICROSECONDS);
        } catch (LockStoreException noAnswerInSoShortATime) {
            return;
        }
        if (locked) {
            try {
                visit(lock);
            } finally {
                lock.unlock();
            }
        }
    }

    @Test
    void lockInterruptibly_stormOfInterrupts_leavesNothing() throws Exception {
        List<Actor> crowd = new ArrayList<>();
        List<Future<?>> running = new ArrayList<>();
        for (int c = 0; c < CLIENTS; c++) {
            DistributedLock lock = client().lock(name);
            for (int t = 0; t < THREADS; t++) {
                Actor actor = actor();
                crowd.add(actor);
                running.add(actor.begin(() -> interruptedRounds(lock)));
            }
        }
        Await.until("end of the storm", () -> {
            crowd.get(ThreadLocalRandom.current().nextInt(crowd.size())).interrupt();
            return running.stream().allMatch(Future::isDone);
        });
        running.forEach(Await::result);

        assertThat(resource.wrong()).isEmpty();
        assertComesFree(name);
    }

    private void interruptedRounds(DistributedLock lock) {
        for (int i = 0; i < ROUNDS; i++) {
            try {
                lock.lockInterruptibly();
            } catch (InterruptedException expected) {
                continue;
            }
            try {
                visit(lock);
            } finally {
                lock.unlock();
            }
        }
        Thread.interrupted();
    }

    @Test
    void acquireAsync_stormOfCancellations_leavesNothing() throws Exception {
        crowd(LockOptions.defaults(), ROUNDS, lock -> {
            CompletableFuture<LockHandle> future = lock.acquireAsync();
            if (ThreadLocalRandom.current().nextBoolean()) {
                Thread.yield();
            }
            if (!future.cancel(true)) {
                future.join().close();
            }
        });
        assertComesFree(name);
    }

    @Test
    void listener_attemptsThatComeToNothing_areToldOnceEachAndWhy() throws Exception {
        Client client = client();
        DistributedLock lock = client.lock(name);
        LockHandle held = client().lock(name).acquire();

        assertThat(lock.tryLock()).isFalse();
        client.events().await("gaveUp " + name + " BUSY", 1);
        assertThat(lock.tryLock(500, TimeUnit.MILLISECONDS)).isFalse();
        client.events().await("gaveUp " + name + " TIMED_OUT", 1);
        Actor waiter = actor();
        Future<?> interrupted = client.queueUp(waiter, name, lock::lockInterruptibly);
        waiter.interrupt();
        assertInterrupted(interrupted);
        client.events().await("gaveUp " + name + " INTERRUPTED", 1);
        assertThat(lock.acquireAsync().cancel(false)).isTrue();
        client.events().await("gaveUp " + name + " CANCELLED", 1);
        client.queueUp(actor(), name);
        client.client().close();
        client.events().await("gaveUp " + name + " FAILED: LockClientClosedException", 1);

        for (String outcome : List.of("BUSY", "TIMED_OUT", "INTERRUPTED", "CANCELLED")) {
            assertThat(client.events().count("gaveUp " + name + " " + outcome)).isEqualTo(1);
        }
        assertThat(client.events().count("acquired " + name)).isZero();
        held.close();
    }

    @Test
    void listener_oneAcquisition_isToldOfByTheSameObject() throws Exception {
        List<Acquisition> told = new CopyOnWriteArrayList<>();
        LockListener listener = new LockListener() {
            @Override
            public void contended(Acquisition what) {
                told.add(what);
            }

            @Override
            public void acquired(Acquisition what, Duration waited) {
                told.add(what);
            }

            @Override
            public void released(Acquisition what, Duration held) {
                told.add(what);
            }
        };
        Client first = client();
        LockHandle held = first.lock(name).acquire();
        LockOptions labelled = LockOptions.builder().label("job", "night").build();
        try (LockSource client = fixture.newClient(
                options().listener(listener).lockDefaults(labelled).build())) {
            CompletableFuture<LockHandle> waiting = client.lock(name).acquireAsync();
            Await.until("a waiter", () -> told.size() == 1);
            held.close();
            Await.get(waiting).close();
            Await.until(() -> "all told: " + told, () -> told.size() == 3);
        }

        assertThat(told).allSatisfy(what -> assertThat(what).isSameAs(told.get(0)));
        Acquisition same = new Acquisition(name, LockListener.Mode.LOCK, 1, Map.of("job", "night"));
        assertThat(told.get(0)).isNotEqualTo(same).hasToString(same.toString());
    }

    @Test
    void listener_throwsAlways_costsNoLock() throws Exception {
        LockListener throwing = new LockListener() {
            @Override
            public void contended(Acquisition what) {
                throw new IllegalStateException("contended");
            }

            @Override
            public void acquired(Acquisition what, Duration waited) {
                throw new IllegalStateException("acquired");
            }

            @Override
            public void handedOver(Acquisition what) {
                throw new AssertionError("handedOver");
            }

            @Override
            public void released(Acquisition what, Duration held) {
                throw new IllegalStateException("released");
            }
        };
        try (var throwingClient = fixture.newClient(options().listener(throwing).build())) {
            List<Future<?>> running = new ArrayList<>();
            for (int t = 0; t < THREADS; t++) {
                running.add(actor().begin(() -> {
                    for (int i = 0; i < ROUNDS; i++) {
                        lockAndVisit(throwingClient.lock(name));
                    }
                }));
            }
            running.forEach(Await::result);
        }
        assertThat(resource.visits()).isEqualTo(THREADS * ROUNDS);
        assertComesFree(name);
    }

    @Test
    void listener_nestedHolds_isToldOfOne() throws Exception {
        Client client = client();
        DistributedLock lock = client.lock(name);
        lock.lock();
        lock.lock();
        lock.unlock();
        lock.unlock();

        client.events().await("released " + name, 1);
        assertThat(client.events().count("acquired " + name)).isEqualTo(1);
        assertThat(client.events().count("contended " + name)).isZero();
        assertThat(client.events().count("lost " + name)).isZero();
    }
}
