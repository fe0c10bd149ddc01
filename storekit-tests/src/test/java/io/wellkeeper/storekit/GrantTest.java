package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.DistributedReadWriteLock;
import io.wellkeeper.DistributedSemaphore;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockListener;
import io.wellkeeper.LockListener.Acquisition;
import io.wellkeeper.LockOptions;
import io.wellkeeper.Permits;
import io.wellkeeper.Registration;
import io.wellkeeper.spi.DepartureWatcher;
import io.wellkeeper.spi.Mode;
import io.wellkeeper.spi.Session;
import io.wellkeeper.spi.SessionListener;
import io.wellkeeper.spi.SessionOptions;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketHolder;
import io.wellkeeper.spi.TicketQueue;
import io.wellkeeper.testkit.ForwardingTicketStore;
import io.wellkeeper.testkit.InMemoryServer;
import io.wellkeeper.testkit.InMemoryTicketStore;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What befalls a ticket between two steps of those who have it. */
class GrantTest {

    private static final String NAME = "granted";
    private static final Duration RARE_BEATS = Duration.ofMinutes(10);
    private static final Duration SOME_BEATS = Duration.ofSeconds(3);
    private static final Duration MANY_BEATS = Duration.ofMillis(600);

    private static final LockOptions OWN_NUMBERS =
            LockOptions.builder().handOvers(0).build();
    private static final int MANY = 20_000;

    private final AtomicInteger contended = new AtomicInteger();
    private final InMemoryServer server = new InMemoryServer();
    private final Interposed store = new Interposed();

    @AfterEach
    void close() {
        server.close();
    }

    @Test
    void breakLock_heldByTheOneWhoBreaksIt_isLostBeforeTheNextHeartbeat() throws Exception {
        try (LockClient client = client(RARE_BEATS, Runnable::run)) {
            LockHandle handle = client.lock(NAME).acquire();
            CompletableFuture<Void> told = Await.loss(handle);

            client.admin().breakLock(NAME, "why");

            assertThat(handle.isHeld()).isFalse();
            assertThat(told).succeedsWithin(Await.patience());
        }
    }

    @Test
    void breakLock_threadsOfTheSameClientWait_nobodyIsHandedTheTicketThatWasBroken() throws Exception {
        try (LockClient client = client(RARE_BEATS, Runnable::run)) {
            LockHandle handle = client.lock(NAME).acquire();
            Ticket broken = ((TicketHolder) handle).ticket();
            CompletableFuture<LockHandle> next = client.lock(NAME).acquireAsync();

            client.admin().breakLock(NAME, "why");

            LockHandle second = Await.get(next);
            assertThat(((TicketHolder) second).ticket()).isNotEqualTo(broken);
            assertThat(second.isHeld()).isTrue();
            second.close();
        }
    }

    @Test
    void acquire_sessionEndsBeforeItIsAdmitted_lossIsTold() throws Exception {
        try (LockClient other = LockClient.over(new InMemoryTicketStore(server));
                LockClient client = client(RARE_BEATS, Runnable::run)) {
            DistributedSemaphore semaphore = client.semaphore(NAME, 1);
            LockHandle first = other.semaphore(NAME, 1).acquire(1);
            CompletableFuture<Permits> waiting = semaphore.acquireAsync(1);
            await().untilAsserted(() -> assertThat(server.queueLength(NAME)).isEqualTo(2));
            store.whenNoticeIsUnwatched.set(() -> {
                store.lose();
                server.freeze(); // so that no other session comes, with which everything would be looked at
            });

            first.close();

            assertThat(Await.loss(Await.get(waiting))).succeedsWithin(Await.patience());
            server.unfreeze();
        }
    }

    @Test
    void beat_writerIsDowngradedWhileItsTicketIsBeingWatched_theMilderTicketIsWatched() throws Exception {
        try (LockClient client = client(SOME_BEATS, Runnable::run)) {
            DistributedReadWriteLock lock = client.readWriteLock(NAME);
            AtomicReference<LockHandle> reading = new AtomicReference<>();
            LockHandle writing = lock.writeLock().acquire();
            store.whenWatched.set(() -> {
                reading.set(lock.downgrade(writing));
                await().until(() -> server.tickets(NAME).get(0).mode() == Mode.SHARED);
                await().until(() -> ((TicketHolder) reading.get()).ticket().mode() == Mode.SHARED);
            });

            await().until(() -> store.watches.get() > 1); // the second is that of the milder one
            server.removeTicket(NAME, 0);

            assertThat(Await.loss(reading.get())).succeedsWithin(Await.patience());
        }
    }

    @Test
    void release_someTwiceUnderWayDuringABeat_nothingIsLost() throws Exception {
        try (LockClient client = client(MANY_BEATS, Runnable::run)) {
            DistributedSemaphore semaphore = client.semaphore(NAME, 3);
            Permits permits = semaphore.acquire(3);
            store.withhold = true;
            permits.release(1);
            permits.release(1);
            await().until(() -> store.withheld.size() == 1);

            store.withheld.get(0).run();
            await().until(() -> store.withheld.size() == 2);
            int beats = store.beats.get();
            await().until(() -> store.beats.get() > beats + 2);
            store.withheld.get(1).run();

            await().until(() -> semaphore.availablePermits() == 2);
            permits.release(1); // which throws if it was lost
        }
    }

    @Test
    void release_manyOneByOneWhileTheFirstIsUnderWay_nothingIsLeft() throws Exception {
        try (LockClient client = client(RARE_BEATS, Runnable::run)) {
            DistributedSemaphore semaphore = client.semaphore(NAME, MANY);
            Permits permits = semaphore.acquire(MANY);
            store.withhold = true;
            for (int i = 1; i < MANY; i++) {
                permits.release(1);
            }
            store.withhold = false;
            store.withheld.get(0).run();
            await().until(() -> semaphore.availablePermits() == MANY - 1);

            permits.release(1);

            await().until(() -> server.queueLength(NAME) == 0);
        }
    }

    @Test
    void acquire_letInByASessionThatHasEnded_costsNobodyElseTheLock() throws Exception {
        assertCostsNobodyElseTheLock(store::lose);
    }

    @Test
    void acquire_letInByATicketThatIsGone_costsNobodyElseTheLock() throws Exception {
        assertCostsNobodyElseTheLock(() -> {
            server.removeTicket(NAME, 0);
            server.wakeForNothing();
        });
    }

    /** One is let in, and the next one gets in before the first is admitted, because of what happens meanwhile. */
    private void assertCostsNobodyElseTheLock(Runnable meanwhile) throws Exception {
        try (LockClient other = LockClient.over(new InMemoryTicketStore(server));
                LockClient client = client(RARE_BEATS, Runnable::run)) {
            CompletableFuture<LockHandle> late = waitBehind(other.lock(NAME).acquire(), client);
            CompletableFuture<LockHandle> next = client.lock(NAME, OWN_NUMBERS).acquireAsync();
            await().until(() -> server.queueLength(NAME) == 3);
            store.whenUnwatched.set(() -> {
                meanwhile.run();
                Await.get(next);
            });

            server.removeTicket(NAME, 0);
            server.wakeForNothing();

            assertThat(Await.get(late).isHeld()).isFalse();
            assertThat(Await.get(next).isHeld()).isTrue();
            Await.get(next).close();
        }
    }

    @Test
    void breakLock_byItsOwnClientBeforeItIsAdmitted_isNeverHeld() throws Exception {
        CompletableFuture<Boolean> heldWhenTold = new CompletableFuture<>();
        AtomicReference<Runnable> whenTold = new AtomicReference<>(() -> {});
        Executor callbacks = task -> {
            task.run();
            whenTold.get().run();
        };
        try (LockClient other = LockClient.over(new InMemoryTicketStore(server));
                LockClient client = client(RARE_BEATS, callbacks)) {
            CompletableFuture<LockHandle> late = waitBehind(other.lock(NAME).acquire(), client);
            store.whenUnwatched.set(() -> {
                client.admin().breakLock(NAME, "why");
                whenTold.set(() -> {
                    if (late.isDone()) {
                        heldWhenTold.complete(late.join().isHeld());
                    }
                });
            });

            server.removeTicket(NAME, 0);
            server.wakeForNothing();

            assertThat(Await.get(heldWhenTold)).isFalse();
        }
    }

    /** Behind somebody of whose departure the store does not tell, but only that something has changed. */
    private CompletableFuture<LockHandle> waitBehind(LockHandle first, LockClient client) {
        store.tellsNoDeparture = true;
        CompletableFuture<LockHandle> waiting =
                client.lock(first.name(), OWN_NUMBERS).acquireAsync();
        await().until(() -> contended.get() > 0);
        return waiting;
    }

    @Test
    void unlock_awaitedByAWriterWhoReadsOn_waitsForTheStoresWord() throws Exception {
        try (Actor former = new Actor();
                LockClient client = LockClient.over(
                        store,
                        ClientOptions.builder()
                                .storeTimeout(RARE_BEATS)
                                .lockDefaults(
                                        LockOptions.builder().awaitRelease(true).build())
                                .build())) {
            DistributedReadWriteLock lock = client.readWriteLock(NAME);
            former.run(lock.writeLock()::lock);
            former.run(lock.readLock()::lock);
            store.withhold = true;

            Future<?> unlocking = former.begin(lock.writeLock()::unlock);
            await().until(() -> store.withheld.size() == 1);
            assertThat(unlocking).isNotDone();
            store.withheld.get(0).run();

            Await.result(unlocking);
            former.run(lock.readLock()::unlock);
        }
    }

    @Test
    void downgrade_closedMeanwhile_theMilderHandleIsInHand() throws Exception {
        AtomicReference<LockHandle> closing = new AtomicReference<>();
        LockListener closer = new LockListener() {
            @Override
            public void released(Acquisition what, Duration held) {
                LockHandle handle = closing.getAndSet(null);
                if (handle != null) {
                    handle.close();
                }
            }
        };
        try (LockClient client = LockClient.over(
                store,
                ClientOptions.builder()
                        .listener(closer)
                        .callbackExecutor(Runnable::run)
                        .build())) {
            DistributedReadWriteLock lock = client.readWriteLock(NAME);
            LockHandle writing = lock.writeLock().acquire();
            closing.set(writing);

            LockHandle reading = lock.downgrade(writing);

            assertThat(reading.isHeld()).isTrue();
            reading.close();
            await().until(() -> server.queueLength(NAME) == 0);
        }
    }

    private LockClient client(Duration session, Executor callbacks) {
        return LockClient.over(
                store,
                ClientOptions.builder()
                        .sessionTimeout(session)
                        .callbackExecutor(callbacks)
                        .listener(new LockListener() {
                            @Override
                            public void contended(Acquisition what) {
                                contended.incrementAndGet();
                            }
                        })
                        .build());
    }

    /** Runs what a test has in mind between two steps. */
    private final class Interposed extends ForwardingTicketStore {

        final AtomicReference<Runnable> whenNoticeIsUnwatched = new AtomicReference<>(() -> {});
        final AtomicReference<Runnable> whenUnwatched = new AtomicReference<>(() -> {});
        final AtomicReference<Runnable> whenWatched = new AtomicReference<>(() -> {});
        final AtomicInteger watches = new AtomicInteger();
        final AtomicInteger beats = new AtomicInteger();
        final CopyOnWriteArrayList<Runnable> withheld = new CopyOnWriteArrayList<>(); // answers to replacements
        volatile boolean withhold;
        volatile boolean tellsNoDeparture; // and has a thread of its own for those who ask
        private final AtomicReference<SessionListener> listener = new AtomicReference<>();

        Interposed() {
            super(new InMemoryTicketStore(server));
        }

        /** The session ends, and its owner hears of it at once. */
        void lose() {
            SessionListener losing = listener.get(); // the server tells it, too, and then there is another
            store.expireSessions();
            losing.lost();
        }

        @Override
        public CompletionStage<Session> open(SessionOptions options, SessionListener told) {
            listener.set(told);
            return super.open(options, told);
        }

        @Override
        protected Session session(Session sound) {
            return new ForwardingSession(sound) {
                @Override
                public CompletionStage<Void> heartbeat() {
                    beats.incrementAndGet();
                    return super.heartbeat();
                }
            };
        }

        @Override
        protected TicketQueue queue(TicketQueue sound, String name) {
            return new ForwardingQueue(sound) {
                @Override
                public Registration onDeparture(Collection<Ticket> any, DepartureWatcher watcher) {
                    whenWatched.getAndSet(() -> {}).run();
                    watches.incrementAndGet();
                    Registration watch = super.onDeparture(any, tellsNoDeparture ? new Deaf(watcher) : watcher);
                    return () -> {
                        watch.close();
                        whenUnwatched.getAndSet(() -> {}).run();
                    };
                }

                @Override
                public CompletionStage<List<Ticket>> tickets() {
                    CompletionStage<List<Ticket>> sound = super.tickets();
                    return tellsNoDeparture ? sound.thenApplyAsync(shown -> shown) : sound;
                }

                @Override
                public Registration onNotice(Runnable changed) {
                    Registration watch = super.onNotice(changed);
                    return () -> {
                        watch.close();
                        whenNoticeIsUnwatched.getAndSet(() -> {}).run();
                    };
                }

                @Override
                public CompletionStage<Ticket> replace(Ticket mine, Mode mode, int permits) {
                    CompletionStage<Ticket> sound = super.replace(mine, mode, permits);
                    if (!withhold) {
                        return sound;
                    }
                    CompletableFuture<Ticket> answer = new CompletableFuture<>();
                    withheld.add(() -> sound.whenComplete((ticket, failure) -> answer.complete(ticket)));
                    return answer;
                }
            };
        }
    }

    /** Is not told of departures, but that something has changed. */
    private record Deaf(DepartureWatcher watcher) implements DepartureWatcher {

        @Override
        public void departed(Ticket ticket) {}

        @Override
        public void changed() {
            watcher.changed();
        }
    }
}
