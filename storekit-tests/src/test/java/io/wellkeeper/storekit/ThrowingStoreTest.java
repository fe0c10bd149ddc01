package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.DistributedBarrier;
import io.wellkeeper.DistributedCondition;
import io.wellkeeper.DistributedLock;
import io.wellkeeper.DistributedReadWriteLock;
import io.wellkeeper.DistributedSemaphore;
import io.wellkeeper.LeaderElection;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockOptions;
import io.wellkeeper.LockStoreException;
import io.wellkeeper.MultiLockHandle;
import io.wellkeeper.Permits;
import io.wellkeeper.Registration;
import io.wellkeeper.spi.DepartureWatcher;
import io.wellkeeper.spi.LockNames;
import io.wellkeeper.spi.Mode;
import io.wellkeeper.spi.Notice;
import io.wellkeeper.spi.Place;
import io.wellkeeper.spi.Session;
import io.wellkeeper.spi.StoreRefusalException;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketInfo;
import io.wellkeeper.spi.TicketQueue;
import io.wellkeeper.spi.TicketRequest;
import io.wellkeeper.spi.TicketStore;
import io.wellkeeper.testkit.ForwardingTicketStore;
import io.wellkeeper.testkit.InMemoryServer;
import io.wellkeeper.testkit.InMemoryTicketStore;
import java.io.IOError;
import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A store of which every method throws, though it should have returned a stage that fails, or returns no stage at all, or one that
 * was cancelled: whoever calls is told the same.
 */
class ThrowingStoreTest {

    private static final String NAME = "thrown";
    private static final Duration SHORT = Duration.ofMillis(50);
    private static final String WORDS = "some/Driver is not as it should be";

    /** What is thrown. */
    private enum Kind {
        PASSING {
            @Override
            RuntimeException thrown() {
                return new LockStoreException(WORDS);
            }
        },
        REFUSAL {
            @Override
            RuntimeException thrown() {
                return new StoreRefusalException(WORDS);
            }
        },
        LINKAGE {
            @Override
            RuntimeException thrown() {
                throw new NoClassDefFoundError(WORDS);
            }
        },
        OTHER_ERROR {
            @Override
            RuntimeException thrown() {
                throw new IOError(new IOException(WORDS));
            }
        },
        /** What it returns has been cancelled, as by a time limit of its own. */
        CANCELLED {
            @Override
            RuntimeException thrown() {
                return new CancellationException(WORDS);
            }
        },
        /** It throws nothing, and returns nothing. */
        NOTHING {
            @Override
            RuntimeException thrown() {
                return new NullPointerException("the store has returned nothing: " + WORDS);
            }
        };

        abstract RuntimeException thrown();
    }

    /** What somebody does with a client; prepared while the store is sound. */
    private interface Use {

        /** @return what is done while the store throws */
        Actor.Action prepare(LockClient client) throws Exception;
    }

    private static Arguments use(String what, Use use) {
        return Arguments.of(what, use);
    }

    private static Stream<Arguments> uses() {
        return Stream.of(
                use("lock", client -> unlocking(client.lock(NAME))),
                use("tryLock", client -> () -> {
                    if (client.lock(NAME).tryLock(SHORT.toMillis(), TimeUnit.MILLISECONDS)) {
                        client.lock(NAME).unlock();
                    }
                }),
                use("unlock", client -> {
                    LockHandle handle = client.lock(NAME).acquire();
                    return handle::close;
                }),
                use("unlock awaited", client -> {
                    LockHandle handle = client.lock(
                                    NAME,
                                    LockOptions.builder().awaitRelease(true).build())
                            .acquire();
                    return handle::close;
                }),
                use("read lock", client -> unlocking(client.readWriteLock(NAME).readLock())),
                use("downgrade", client -> {
                    DistributedReadWriteLock lock = client.readWriteLock(NAME);
                    LockHandle writing = lock.writeLock().acquire();
                    return () -> lock.downgrade(writing).close();
                }),
                use("acquire permits", client -> () -> {
                    DistributedSemaphore semaphore = client.semaphore(NAME, 3);
                    semaphore.tryAcquire(2, SHORT).ifPresent(Permits::close);
                }),
                use("release some permits", client -> {
                    DistributedSemaphore semaphore = client.semaphore(NAME, 3);
                    Permits permits = semaphore.acquire(3);
                    return () -> {
                        permits.release(1);
                        permits.close();
                    };
                }),
                use("available permits", client -> client.semaphore(NAME, 3)::availablePermits),
                use(
                        "drain permits",
                        client -> () -> client.semaphore(NAME, 3).drainPermits().ifPresent(Permits::close)),
                use("resize", client -> {
                    client.semaphore(NAME, 3)
                            .tryAcquire(1, Duration.ZERO)
                            .orElseThrow()
                            .close();
                    return () -> client.semaphore(NAME, 3).resize(4);
                }),
                use(
                        "several locks",
                        client -> () -> client.all("a", NAME).tryAcquire(SHORT).ifPresent(MultiLockHandle::close)),
                use("wait on a condition", client -> {
                    DistributedLock lock = client.lock(NAME);
                    DistributedCondition condition = lock.newCondition();
                    LockHandle handle = lock.acquire();
                    return () -> {
                        try {
                            Await.get(condition.awaitAsync(handle, SHORT)).close();
                        } finally {
                            handle.close();
                        }
                    };
                }),
                use("signal", client -> {
                    DistributedLock lock = client.lock(NAME);
                    LockHandle handle = lock.acquire();
                    return () -> {
                        try {
                            Await.get(lock.newCondition().signalAllAsync(handle));
                        } finally {
                            handle.close();
                        }
                    };
                }),
                use("set a count", client -> () -> client.latch(NAME).trySetCount(1)),
                use("count down", client -> client.latch(NAME)::countDown),
                use("read a count", client -> client.latch(NAME)::getCount),
                use("delete a count", client -> client.latch(NAME)::delete),
                use("wait for a count", client -> {
                    client.latch(NAME).trySetCount(1);
                    return () -> client.latch(NAME).await(SHORT.toMillis(), TimeUnit.MILLISECONDS);
                }),
                use("wait at a barrier", client -> {
                    DistributedBarrier barrier = client.barrier(NAME, 2);
                    return () -> barrier.await(SHORT.toMillis(), TimeUnit.MILLISECONDS);
                }),
                use("parties at a barrier", client -> client.barrier(NAME, 2)::getNumberWaiting),
                use("leader", client -> client.election(NAME, new Deaf())::leader),
                use("inspect", client -> () -> client.admin().inspect(NAME)),
                use("names", client -> () -> client.admin().names("")),
                use("deadlocks", client -> client.admin()::deadlocks),
                use("warnings", client -> client.admin()::storeWarnings),
                use("ask for a lock", client -> () -> client.admin().requestRevocation(NAME, "why")),
                use("break a lock", client -> {
                    LockHandle handle = client.lock(NAME).acquire();
                    return () -> {
                        try {
                            client.admin().breakLock(NAME, "why");
                        } finally {
                            handle.close();
                        }
                    };
                }),
                use("listen for requests", client -> {
                    LockHandle handle = client.lock(NAME).acquire();
                    return () -> {
                        try {
                            handle.onRevocationRequested((who, why) -> {}).close();
                        } finally {
                            handle.close();
                        }
                    };
                }),
                use("close", client -> client::close));
    }

    private static Actor.Action unlocking(DistributedLock lock) {
        return () -> {
            lock.lockInterruptibly();
            lock.unlock();
        };
    }

    private static Stream<Arguments> usesAndKinds() {
        return uses().flatMap(
                        use -> Stream.of(Kind.values()).map(kind -> Arguments.of(use.get()[0], kind, use.get()[1])));
    }

    private static final class Deaf implements LeaderElection.Listener {

        @Override
        public void elected(long fencingToken) {}

        @Override
        public void deposed(String reason) {}
    }

    @ParameterizedTest(name = "{0}: {1}")
    @MethodSource("usesAndKinds")
    void anyMethod_storeThrows_endsAsIfItHadFailedAndLeavesNothing(String what, Kind kind, Use use) throws Exception {
        try (InMemoryServer server = new InMemoryServer();
                Actor actor = new Actor()) {
            Throwing store = new Throwing(server);
            try (LockClient client = LockClient.over(
                    store,
                    ClientOptions.builder()
                            .storeTimeout(Duration.ofMillis(500))
                            .closeTimeout(Duration.ofMillis(200))
                            .build())) {
                Actor.Action action = use.prepare(client);
                store.throwing = kind;
                Future<?> done = actor.begin(action);

                if (kind == Kind.PASSING && List.of("lock", "read lock").contains(what)) { // it waits for the store
                    Await.until("several tries", () -> store.thrown.get() > 2);
                    store.throwing = null;
                }
                Throwable thrown = outcome(done);

                store.throwing = null;
                assertThat(thrown)
                        .satisfiesAnyOf(
                                none -> assertThat(none).isNull(),
                                failure -> assertThat(failure).isInstanceOf(LockStoreException.class),
                                timeUp -> assertThat(timeUp).isExactlyInstanceOf(TimeoutException.class));
                if (!what.equals("close")) {
                    awaitNobodyLeft(server);
                    assertThat(actor.call(() -> client.lock("other").tryLock())).isTrue();
                }
            }
            assertThat(server.violations()).isEmpty();
        }
    }

    private static void awaitNobodyLeft(InMemoryServer server) {
        for (String name : List.of(NAME, "a", LockNames.RESERVED + "barrier/" + NAME)) {
            Await.until("nobody in the queue of " + name, () -> server.queueLength(name) == 0);
        }
    }

    /** A queue costs no request; a driver that is not whole may show there first all the same. */
    @ParameterizedTest
    @EnumSource(Kind.class)
    void acquireAsync_queueCannotBeHadForAMoment_lockIsNotBlocked(Kind kind) throws Exception {
        try (InMemoryServer server = new InMemoryServer()) {
            Throwing store = new Throwing(server);
            try (LockClient client = LockClient.over(store)) {
                store.throwingQueues = kind;
                CompletableFuture<LockHandle> acquired = client.lock(NAME).acquireAsync();
                Await.until("a queue was wanted", () -> store.thrown.get() > 0);
                store.throwingQueues = null;

                if (kind == Kind.PASSING) {
                    Await.get(acquired).close();
                } else {
                    assertThat(acquired)
                            .failsWithin(Await.patience())
                            .withThrowableThat()
                            .withCauseInstanceOf(LockStoreException.class)
                            .withMessageContaining(kind == Kind.NOTHING ? "TicketQueue" : WORDS);
                }
                Await.get(client.lock(NAME).acquireAsync()).close();
            }
        }
    }

    private static Stream<Arguments> usesOfQueuesAndKinds() {
        List<String> others = List.of("close", "listen for requests");
        return usesAndKinds().filter(use -> !others.contains(String.valueOf(use.get()[0])));
    }

    /** Which part of the store keeps a lock costs no request, and nobody can do anything before it is known. */
    @ParameterizedTest(name = "{0}: {1}")
    @MethodSource("usesOfQueuesAndKinds")
    void anyMethod_storeDoesNotSayWhichPartKeepsTheLock_endsAndLeavesNothing(String what, Kind kind, Use use)
            throws Exception {
        try (InMemoryServer server = new InMemoryServer();
                Actor actor = new Actor()) {
            Throwing store = new Throwing(server);
            try (LockClient client = LockClient.over(store)) {
                Actor.Action action = use.prepare(client);
                store.throwingParts = kind;

                Throwable thrown = outcome(actor.begin(action));

                assertThat(thrown)
                        .satisfiesAnyOf(
                                none -> assertThat(none).isNull(),
                                failure -> assertThat(failure).isInstanceOf(LockStoreException.class));
                store.throwingParts = null;
                awaitNobodyLeft(server);
                Await.get(client.lock(NAME).acquireAsync()).close();
            }
            assertThat(server.violations()).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void connect_storeDoesNotSayWhichPartIsTheFirst_failsAndLeavesNothing(Kind kind) {
        try (InMemoryServer server = new InMemoryServer()) {
            Throwing store = new Throwing(server);
            store.throwingParts = kind;

            assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> LockClient.over(store));

            assertThat(server.leftovers()).isEmpty();
        }
    }

    /** Whoever waits already is not disturbed, and is told what befalls the session. */
    @ParameterizedTest
    @EnumSource(Kind.class)
    void lock_storeDoesNotSayAnyMoreWhichPartKeepsIt_isWaitedForAndSessionIsReplaced(Kind kind) throws Exception {
        try (InMemoryServer server = new InMemoryServer()) {
            Throwing store = new Throwing(server);
            try (LockClient other = LockClient.over(new InMemoryTicketStore(server));
                    LockClient client = LockClient.over(
                            store,
                            ClientOptions.builder()
                                    .sessionTimeout(Duration.ofMillis(400))
                                    .build())) {
                LockHandle first = other.lock(NAME).acquire();
                CompletableFuture<LockHandle> next = client.lock(NAME).acquireAsync();
                Await.until("two in the queue", () -> server.queueLength(NAME) == 2);
                store.throwingParts = kind;

                store.store().expireSessions();
                int before = store.beats.get();
                first.close();

                assertThat(Await.get(next).isHeld()).isTrue();
                Await.until("heartbeats go on", () -> store.beats.get() > before + 2);
                store.throwingParts = null;
            }
        }
    }

    private static Stream<Arguments> watchers() {
        return Stream.of(
                use(
                        "tryLock",
                        client -> () -> assertThat(client.lock(NAME).tryLock(SHORT.toMillis(), TimeUnit.MILLISECONDS))
                                .isFalse()),
                use(
                        "tryAcquireAsync",
                        client -> () -> assertThat(Await.get(client.lock(NAME).tryAcquireAsync(SHORT)))
                                .isEmpty()),
                use(
                        "acquire permits",
                        client ->
                                () -> assertThat(client.semaphore("permits", 1).tryAcquire(1, SHORT))
                                        .isEmpty()),
                use(
                        "several locks",
                        client -> () -> assertThat(client.all("a", NAME).tryAcquire(SHORT))
                                .isEmpty()),
                use("wait on a condition", client -> {
                    DistributedLock lock = client.lock("conditional");
                    LockHandle handle = lock.acquire();
                    return () -> Await.get(lock.newCondition().awaitAsync(handle, SHORT))
                            .close();
                }),
                use(
                        "wait for a count",
                        client -> () -> assertThat(client.latch(NAME).await(SHORT.toMillis(), TimeUnit.MILLISECONDS))
                                .isFalse()),
                use(
                        "wait at a barrier",
                        client -> () -> assertThatExceptionOfType(TimeoutException.class)
                                .isThrownBy(
                                        () -> client.barrier(NAME, 2).await(SHORT.toMillis(), TimeUnit.MILLISECONDS))),
                use("listen for requests", client -> {
                    LockHandle handle = client.lock("asked for").acquire();
                    return () -> {
                        handle.onRevocationRequested((who, why) -> {});
                        handle.close();
                        assertThat(client.lock("asked for").tryLock()).isTrue();
                    };
                }));
    }

    private static Stream<Arguments> watchersAndKinds() {
        return watchers()
                .flatMap(use -> Stream.of(Kind.values()).map(kind -> Arguments.of(use.get()[0], kind, use.get()[1])));
    }

    /** A watch that cannot be taken back may tell more than is wanted, and that is all. */
    @ParameterizedTest(name = "{0}: {1}")
    @MethodSource("watchersAndKinds")
    void anyWait_watchCannotBeTakenBack_endsInTimeAndLeavesNothingElse(String what, Kind kind, Use use)
            throws Exception {
        try (InMemoryServer server = new InMemoryServer();
                Actor actor = new Actor()) {
            Throwing store = new Throwing(server);
            try (LockClient other = LockClient.over(new InMemoryTicketStore(server));
                    LockClient client = LockClient.over(store)) {
                LockHandle lock = other.lock(NAME).acquire();
                Permits permit = other.semaphore("permits", 1).acquire();
                other.latch(NAME).trySetCount(1);
                Actor.Action action = use.prepare(client);
                store.throwingCloses = kind;

                actor.run(action);

                lock.close();
                permit.close();
                Await.until("a watch was to be taken back", () -> store.thrown.get() > 0);
                for (String name : List.of(NAME, "permits", "a", LockNames.RESERVED + "barrier/" + NAME)) {
                    Await.until("nobody in the queue of " + name, () -> server.queueLength(name) == 0);
                }
                assertThat(actor.call(() -> client.lock(NAME).tryLock())).isTrue();
            }
            assertThat(server.violations()).isEmpty();
        }
    }

    /** What a session says of itself costs no request either. */
    @ParameterizedTest
    @EnumSource(Kind.class)
    void connect_sessionDoesNotSayWhatItIs_isToldAndTheNextOneIsAsked(Kind kind) {
        try (InMemoryServer server = new InMemoryServer()) {
            AtomicBoolean throwing = new AtomicBoolean(true);
            TicketStore store = new ForwardingTicketStore(new InMemoryTicketStore(server)) {
                @Override
                protected Session session(Session sound) {
                    return new ForwardingSession(sound) {
                        @Override
                        public String id() {
                            if (kind == Kind.PASSING ? throwing.getAndSet(false) : throwing.get()) {
                                throw kind.thrown();
                            }
                            return super.id();
                        }
                    };
                }
            };
            if (kind != Kind.PASSING) { // what is refused before the client waits for it is asked again
                assertThatExceptionOfType(LockStoreException.class)
                        .isThrownBy(() -> LockClient.over(store))
                        .withMessageContaining(WORDS);
                throwing.set(false);
            }
            LockClient.over(store).close();
            assertThat(server.leftovers()).isEmpty();
        }
    }

    private static @Nullable Throwable outcome(Future<?> done) throws Exception {
        try {
            done.get(Await.patience().toMillis(), TimeUnit.MILLISECONDS);
            return null;
        } catch (ExecutionException failed) {
            Throwable cause = failed.getCause();
            return cause instanceof CompletionException wrapped ? wrapped.getCause() : cause;
        }
    }

    private static final class Throwing extends ForwardingTicketStore {

        final AtomicInteger thrown = new AtomicInteger();
        volatile @Nullable Kind throwing;
        volatile @Nullable Kind throwingQueues;
        volatile @Nullable Kind throwingCloses;
        volatile @Nullable Kind throwingParts;
        final AtomicInteger beats = new AtomicInteger();

        Throwing(InMemoryServer server) {
            super(new InMemoryTicketStore(server));
        }

        private <T> T unlessThrown(Supplier<T> sound) {
            return unlessThrown(throwing, sound);
        }

        private <T> CompletionStage<T> answer(Supplier<CompletionStage<T>> sound) {
            if (throwing != Kind.CANCELLED) {
                return unlessThrown(sound);
            }
            thrown.incrementAndGet();
            CompletableFuture<T> cancelled = new CompletableFuture<>();
            cancelled.cancel(false);
            return cancelled;
        }

        private <T> T unlessThrown(@Nullable Kind how, Supplier<T> sound) {
            if (how == null) {
                return sound.get();
            }
            thrown.incrementAndGet();
            if (how == Kind.NOTHING) {
                return new AtomicReference<T>().get(); // null
            }
            throw how.thrown();
        }

        private Registration closing(Registration sound) {
            return () -> {
                sound.close();
                unlessThrown(throwingCloses, () -> sound);
            };
        }

        @Override
        public TicketStore shard(String name) {
            return unlessThrown(throwingParts, () -> this);
        }

        @Override
        protected Session session(Session sound) {
            return new ForwardingSession(sound) {
                @Override
                public TicketQueue queue(String name) {
                    return unlessThrown(throwingQueues, () -> super.queue(name));
                }

                @Override
                public CompletionStage<Void> heartbeat() {
                    beats.incrementAndGet();
                    return answer(super::heartbeat);
                }

                @Override
                public CompletionStage<List<String>> names(String prefix) {
                    return answer(() -> super.names(prefix));
                }

                @Override
                public CompletionStage<List<String>> warnings() {
                    return answer(super::warnings);
                }

                @Override
                public CompletionStage<Void> close() {
                    return answer(super::close);
                }
            };
        }

        @Override
        protected TicketQueue queue(TicketQueue sound, String name) {
            return new ForwardingQueue(sound) {
                @Override
                public CompletionStage<Place> take(TicketRequest request) {
                    return answer(() -> super.take(request));
                }

                @Override
                public CompletionStage<List<Ticket>> tickets() {
                    return answer(super::tickets);
                }

                @Override
                public CompletionStage<List<TicketInfo>> inspect() {
                    return answer(super::inspect);
                }

                @Override
                public CompletionStage<Boolean> remove(Ticket ticket) {
                    return answer(() -> super.remove(ticket));
                }

                @Override
                public Registration onDeparture(Collection<Ticket> any, DepartureWatcher watcher) {
                    return closing(unlessThrown(() -> super.onDeparture(any, watcher)));
                }

                @Override
                public CompletionStage<Boolean> alone(Ticket mine, Runnable arrived) {
                    return answer(() -> super.alone(mine, arrived));
                }

                @Override
                public CompletionStage<Ticket> replace(Ticket mine, Mode mode, int permits) {
                    return throwing == Kind.PASSING // by which it would say that the old ticket is gone
                            ? super.replace(mine, mode, permits)
                            : answer(() -> super.replace(mine, mode, permits));
                }

                @Override
                public CompletionStage<Void> describe(Ticket mine, String metadata) {
                    return answer(() -> super.describe(mine, metadata));
                }

                @Override
                public CompletionStage<Notice> notice() {
                    return answer(super::notice);
                }

                @Override
                public CompletionStage<Boolean> post(Notice seen, String text) {
                    return answer(() -> super.post(seen, text));
                }

                @Override
                public Registration onNotice(Runnable changed) {
                    return closing(unlessThrown(() -> super.onNotice(changed)));
                }
            };
        }
    }
}
