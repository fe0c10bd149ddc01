package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.DistributedLock;
import io.wellkeeper.DistributedReadWriteLock;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockListener;
import io.wellkeeper.LockListener.Acquisition;
import io.wellkeeper.LockLostException;
import io.wellkeeper.LockOptions;
import io.wellkeeper.LockStoreException;
import io.wellkeeper.MultiLockHandle;
import io.wellkeeper.Participant;
import io.wellkeeper.Registration;
import io.wellkeeper.spi.DepartureWatcher;
import io.wellkeeper.spi.Mode;
import io.wellkeeper.spi.Notice;
import io.wellkeeper.spi.Place;
import io.wellkeeper.spi.StoreRefusalException;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketQueue;
import io.wellkeeper.spi.TicketRequest;
import io.wellkeeper.testkit.ForwardingTicketStore;
import io.wellkeeper.testkit.InMemoryServer;
import io.wellkeeper.testkit.InMemoryTicketStore;
import io.wellkeeper.testkit.Request;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What becomes of those who acquire and hold when one request of theirs fails, is refused, or is answered late. */
class GrantInTroubleTest {

    private static final String NAME = "troubled";
    private static final Duration RARE_BEATS = Duration.ofMinutes(10);
    private static final Duration MANY_BEATS = Duration.ofSeconds(2);

    private final InMemoryServer server = new InMemoryServer();
    private final Troubled store = new Troubled();
    private final AtomicInteger contended = new AtomicInteger();
    private final AtomicInteger acquired = new AtomicInteger();
    private final AtomicInteger released = new AtomicInteger();

    @AfterEach
    void close() {
        server.close();
    }

    @Test
    void lock_takeFailsForAMoment_goesOn() {
        try (LockClient client = client(RARE_BEATS, Runnable::run)) {
            DistributedLock lock = client.lock(NAME);
            store.takeFails.set(new LockStoreException("connection reset"));

            lock.lock();

            lock.checkHeld();
            lock.unlock();
        }
    }

    @Test
    void breakLock_ofAMilderTicketThatItsHolderDoesNotKnowYet_isToldBeforeTheNextHeartbeat() throws Exception {
        try (LockClient client = client(RARE_BEATS, Runnable::run)) {
            DistributedReadWriteLock lock = client.readWriteLock(NAME);
            store.withhold = true;
            LockHandle reading = lock.downgrade(lock.writeLock().acquire());
            await().until(() -> server.tickets(NAME).get(0).mode() == Mode.SHARED);

            client.admin().breakLock(NAME, "why");
            store.withheld.get(0).run();

            assertThat(Await.loss(reading)).succeedsWithin(Await.patience());
        }
    }

    @Test
    void acquire_storeCannotWatch_ends() throws Exception {
        try (LockClient client = client(RARE_BEATS, Runnable::run);
                LockClient other = LockClient.over(new InMemoryTicketStore(server))) {
            LockHandle first = other.lock(NAME).acquire();
            store.cannotWatch.set(new NoClassDefFoundError("driver"));

            Future<LockHandle> waiting = client.lock(NAME).acquireAsync();

            assertThat(waiting)
                    .failsWithin(Await.patience())
                    .withThrowableOfType(ExecutionException.class)
                    .withCauseInstanceOf(LockStoreException.class);
            first.close();
        }
    }

    @Test
    void acquire_storeCannotWatchForAMoment_goesOn() throws Exception {
        try (LockClient client = client(RARE_BEATS, Runnable::run);
                LockClient other = LockClient.over(new InMemoryTicketStore(server))) {
            LockHandle first = other.lock(NAME).acquire();
            store.cannotWatch.set(new LockStoreException("not now"));
            CompletableFuture<LockHandle> waiting = client.lock(NAME).acquireAsync();
            await().until(() -> store.cannotWatch.get() == null);

            first.close();

            Await.get(waiting).close();
        }
    }

    @Test
    void unlock_storeCannotTellWhoWaits_isReleasedAndHandedOver() throws Exception {
        try (LockClient client = client(RARE_BEATS, Runnable::run)) {
            store.cannotTellWhoWaits = true;
            DistributedLock lock =
                    client.lock(NAME, LockOptions.builder().retain(true).build());
            lock.lock();
            CompletableFuture<LockHandle> next = lock.acquireAsync();

            lock.unlock();

            Await.get(next).close();
            assertThat(lock.isHeldByCurrentThread()).isFalse();
        }
    }

    @Test
    void inspect_storeCouldNotBeToldOfAHandOver_showsAtTheNextHeartbeatWhoHasIt() {
        try (LockClient client = client(MANY_BEATS, Runnable::run);
                Actor former = new Actor("former");
                Actor current = new Actor("current")) {
            DistributedLock lock = client.lock(
                    NAME, LockOptions.builder().handOverTime(RARE_BEATS).build());
            former.run(lock::lock);
            store.cannotDescribe = true;
            Future<?> handedOver = current.begin(lock::lock);
            await().until(() -> contended.get() == 1);
            int before = store.undescribed.get();
            former.run(lock::unlock);
            Await.result(handedOver);
            describedInVain(before);

            await().until(() -> thread(client.admin().inspect(NAME).holders()).equals("current"));
            current.run(lock::unlock);
        }
    }

    @Test
    void inspect_storeCouldNotBeToldThatOneHasLeft_showsAtTheNextHeartbeatWhoWaits() throws Exception {
        try (LockClient client = client(MANY_BEATS, Runnable::run);
                LockClient other = LockClient.over(new InMemoryTicketStore(server));
                Actor former = new Actor("former");
                Actor current = new Actor("current")) {
            LockHandle held = other.lock(NAME).acquire();
            DistributedLock lock = client.lock(NAME);
            former.begin(lock::lockInterruptibly);
            await().until(() -> contended.get() == 1);
            Future<?> waits = current.begin(lock::lock);
            await().until(() -> contended.get() == 2);
            store.cannotDescribe = true;
            int before = store.undescribed.get();
            former.interrupt();
            describedInVain(before);

            await().until(() -> thread(client.admin().inspect(NAME).waiters()).equals("current"));
            held.close();
            Await.result(waits);
            current.run(lock::unlock);
        }
    }

    private void describedInVain(int before) {
        await().until(() -> store.undescribed.get() > before);
        store.cannotDescribe = false;
    }

    private static String thread(List<Participant> those) {
        return those.get(0).thread();
    }

    @Test
    void downgrade_storeRefuses_isHeldAsBeforeAndMadeMilderLater() throws Exception {
        try (LockClient client = client(MANY_BEATS, Runnable::run)) {
            DistributedReadWriteLock lock = client.readWriteLock(NAME);
            LockHandle writing = lock.writeLock().acquire();
            store.replaceFails.set(new StoreRefusalException("disk full"));

            LockHandle reading = lock.downgrade(writing);

            await().until(() -> server.tickets(NAME).get(0).mode() == Mode.SHARED);
            reading.checkHeld();
            reading.close();
        }
    }

    @Test
    void downgrade_storeFailsForAMoment_isHeldAsBeforeAndMadeMilderLater() throws Exception {
        try (LockClient client = client(MANY_BEATS, Runnable::run)) {
            DistributedReadWriteLock lock = client.readWriteLock(NAME);
            LockHandle writing = lock.writeLock().acquire();
            store.replaceFails.set(new LockStoreException("busy"));

            LockHandle reading = lock.downgrade(writing);

            await().until(() -> server.tickets(NAME).get(0).mode() == Mode.SHARED);
            reading.checkHeld();
            reading.close();
        }
    }

    @Test
    void downgrade_ofATicketThatIsGone_isToldBeforeTheNextHeartbeat() throws Exception {
        try (LockClient client = client(RARE_BEATS, Runnable::run)) {
            DistributedReadWriteLock lock = client.readWriteLock(NAME);
            LockHandle writing = lock.writeLock().acquire();
            server.removeTicket(NAME, 0);

            LockHandle reading = lock.downgrade(writing);

            await().until(() -> !reading.isHeld());
        }
    }

    @Test
    void acquired_besideAndByADowngrade_isToldAsOftenAsReleased() throws Exception {
        try (LockClient client = client(RARE_BEATS, Runnable::run)) {
            DistributedReadWriteLock lock = client.readWriteLock(NAME);
            lock.downgrade(lock.writeLock().acquire()).close();
            lock.writeLock().lock();
            lock.readLock().lock();
            lock.readLock().unlock();
            lock.writeLock().unlock();
        }
        assertThat(acquired).hasValue(4);
        assertThat(released).hasValue(4);
    }

    @Test
    void downgrade_storeRefusesAgainAndAgain_thatTheTicketIsRemovedIsTold() throws Exception {
        try (LockClient client = client(MANY_BEATS, Runnable::run)) {
            DistributedReadWriteLock lock = client.readWriteLock(NAME);
            store.alwaysRefused = true;
            LockHandle reading = lock.downgrade(lock.writeLock().acquire());
            await().until(() -> store.refusals.get() > 2);

            server.removeTicket(NAME, 0);

            assertThat(Await.loss(reading)).succeedsWithin(Await.patience());
        }
    }

    @Test
    void downgrade_ticketIsRemovedBeforeTheStoreRefuses_isTold() throws Exception {
        try (LockClient client = client(MANY_BEATS, Runnable::run)) {
            DistributedReadWriteLock lock = client.readWriteLock(NAME);
            LockHandle writing = lock.writeLock().acquire();
            await().until(() -> store.watches.get() == 1);
            store.refusesLate = true;
            store.alwaysRefused = true;
            LockHandle reading = lock.downgrade(writing);
            await().until(() -> store.withheld.size() == 1);

            server.removeTicket(NAME, 0);
            await().until(() -> store.departures.get() == 1);
            store.withheld.get(0).run();

            assertThat(Await.loss(reading)).succeedsWithin(Await.patience());
        }
    }

    @Test
    void acquire_ownTicketCannotBeWatchedForAMoment_isWatchedLater() throws Exception {
        try (LockClient client = client(RARE_BEATS, Runnable::run);
                LockClient other = LockClient.over(new InMemoryTicketStore(server))) {
            LockHandle first = other.lock(NAME).acquire();
            store.cannotWatch.set(new LockStoreException("not now")); // the own one, which is watched first

            CompletableFuture<LockHandle> waiting = client.lock(NAME).acquireAsync();

            await().until(() -> store.watches.get() == 2);
            first.close();
            Await.get(waiting).close();
        }
    }

    @Test
    void breakLock_holderBecomesMilderMeanwhile_isBroken() throws Exception {
        try (LockClient client = client(RARE_BEATS, Runnable::run);
                LockClient holder = LockClient.over(new InMemoryTicketStore(server))) {
            DistributedReadWriteLock lock = holder.readWriteLock(NAME);
            LockHandle writing = lock.writeLock().acquire();
            AtomicReference<LockHandle> reading = new AtomicReference<>();
            store.beforeRemoval.set(() -> {
                reading.set(lock.downgrade(writing));
                await().until(() -> server.tickets(NAME).get(0).mode() == Mode.SHARED);
            });

            client.admin().breakLock(NAME, "why");

            assertThat(server.queueLength(NAME)).isZero();
        }
    }

    /** That its old ticket has gone does not mean that nothing of it is left. */
    @Test
    void breakLock_ownHolderBecomesMilderMeanwhile_nobodyIsLetInBesideIt() throws Exception {
        LockOptions numbered = LockOptions.builder().handOvers(0).build();
        try (LockClient client = client(RARE_BEATS, Runnable::run)) {
            DistributedReadWriteLock lock = client.readWriteLock(NAME, numbered);
            LockHandle writing = lock.writeLock().acquire();
            CompletableFuture<LockHandle> waiting = lock.writeLock().acquireAsync();
            await().until(() -> contended.get() == 1);
            CompletableFuture<Void> slow = new CompletableFuture<>();
            store.reading = slow;
            CompletableFuture<Void> breaking =
                    CompletableFuture.runAsync(() -> client.admin().breakLock(NAME, "why"));
            await().until(() -> server.requests(Request.INSPECT) == 1);
            store.withhold = true;
            lock.downgrade(writing);
            await().until(() -> server.tickets(NAME).get(0).mode() == Mode.SHARED);
            store.silentAbout = NAME;

            slow.complete(null);

            await().until(() -> server.requests(Request.TICKETS) == 1);
            assertThat(waiting).isNotDone();
            store.silence.complete(null);
            Await.get(breaking);
            store.withheld.forEach(Runnable::run);
            Await.get(waiting).close();
        }
    }

    @Test
    void breakLock_storeIsSlowToSayWhoHasDoneIt_lossIsToldAtOnceAndTheReasonWhenItIsKnown() throws Exception {
        CompletableFuture<Void> slow = new CompletableFuture<>();
        try (LockClient client = client(MANY_BEATS, Runnable::run);
                LockClient breaking = LockClient.over(
                        new InMemoryTicketStore(server),
                        ClientOptions.builder().clientName("breaking").build())) {
            LockHandle handle = client.lock(NAME).acquire();
            CompletableFuture<LockHandle> next = breaking.lock(NAME).acquireAsync(); // which keeps the notice
            await().until(() -> server.queueLength(NAME) == 2);
            store.reading = slow;

            breaking.admin().breakLock(NAME, "it hangs");

            assertThat(Await.loss(handle)).succeedsWithin(Await.patience());
            assertThatExceptionOfType(LockLostException.class)
                    .isThrownBy(handle::checkHeld)
                    .withMessageContaining("somebody has removed its ticket");
            slow.complete(null);
            await().untilAsserted(() -> assertThatExceptionOfType(LockLostException.class)
                    .isThrownBy(handle::checkHeld)
                    .withMessageContaining("'breaking' has broken the lock: it hangs"));
            Await.get(next).close();
        }
    }

    @Test
    void close_ofSeveralAwaited_allAreReleasedBeforeAnyIsWaitedFor() throws Exception {
        try (LockClient client = LockClient.over(
                store,
                ClientOptions.builder()
                        .storeTimeout(RARE_BEATS)
                        .lockDefaults(LockOptions.builder().awaitRelease(true).build())
                        .build())) {
            MultiLockHandle handle = client.all("a", "b").acquire();
            store.silentAbout = "b";

            CompletableFuture<Void> closing = CompletableFuture.runAsync(handle::close);
            await().until(() -> server.queueLength("a") + server.queueLength("b") == 0);

            assertThat(closing).isNotDone();
            store.silence.complete(null);
            Await.get(closing);
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

                            @Override
                            public void acquired(Acquisition what, Duration waited) {
                                acquired.incrementAndGet();
                            }

                            @Override
                            public void released(Acquisition what, Duration held) {
                                released.incrementAndGet();
                            }
                        })
                        .build());
    }

    private final class Troubled extends ForwardingTicketStore {

        final AtomicReference<RuntimeException> takeFails = new AtomicReference<>();
        final AtomicReference<RuntimeException> replaceFails = new AtomicReference<>();
        final AtomicReference<Throwable> cannotWatch = new AtomicReference<>();
        final CopyOnWriteArrayList<Runnable> withheld = new CopyOnWriteArrayList<>(); // answers to replacements
        final AtomicReference<Runnable> beforeRemoval = new AtomicReference<>(() -> {});
        final AtomicInteger undescribed = new AtomicInteger();
        final AtomicInteger refusals = new AtomicInteger();
        final AtomicInteger watches = new AtomicInteger();
        final AtomicInteger departures = new AtomicInteger();
        final CompletableFuture<Void> silence = new CompletableFuture<>();
        volatile String silentAbout = ""; // the removal of whose tickets is not acknowledged before that
        volatile CompletionStage<Void> reading =
                CompletableFuture.completedFuture(null); // before it no notice is shown
        volatile boolean cannotDescribe;
        volatile boolean withhold;
        volatile boolean alwaysRefused;
        volatile boolean refusesLate;
        volatile boolean cannotTellWhoWaits;

        Troubled() {
            super(new InMemoryTicketStore(server));
        }

        @Override
        protected TicketQueue queue(TicketQueue sound, String name) {
            return new ForwardingQueue(sound) {
                @Override
                public CompletionStage<Place> take(TicketRequest request) {
                    RuntimeException failure = takeFails.getAndSet(null);
                    return failure == null ? super.take(request) : CompletableFuture.failedFuture(failure);
                }

                @Override
                public Registration onDeparture(Collection<Ticket> any, DepartureWatcher watcher) {
                    Throwable failure = cannotWatch.getAndSet(null);
                    if (failure instanceof Error error) {
                        throw error;
                    }
                    if (failure instanceof RuntimeException exception) {
                        throw exception;
                    }
                    watches.incrementAndGet();
                    return super.onDeparture(any, new DepartureWatcher() {
                        @Override
                        public void departed(Ticket ticket) {
                            watcher.departed(ticket);
                            departures.incrementAndGet();
                        }

                        @Override
                        public void changed() {
                            watcher.changed();
                        }
                    });
                }

                @Override
                public CompletionStage<Boolean> remove(Ticket ticket) {
                    beforeRemoval.getAndSet(() -> {}).run();
                    CompletionStage<Boolean> removed = super.remove(ticket);
                    return name.equals(silentAbout) ? silence.thenCompose(over -> removed) : removed;
                }

                @Override
                public CompletionStage<Notice> notice() {
                    CompletionStage<Notice> sound = super.notice();
                    return reading.thenCompose(ready -> sound);
                }

                @Override
                public CompletionStage<Boolean> alone(Ticket mine, Runnable arrived) {
                    if (cannotTellWhoWaits) {
                        throw new NoClassDefFoundError("driver");
                    }
                    return super.alone(mine, arrived);
                }

                @Override
                public CompletionStage<Void> describe(Ticket mine, String metadata) {
                    if (!cannotDescribe) {
                        return super.describe(mine, metadata);
                    }
                    undescribed.incrementAndGet();
                    return CompletableFuture.failedFuture(new LockStoreException("connection reset"));
                }

                @Override
                public CompletionStage<Ticket> replace(Ticket mine, Mode mode, int permits) {
                    RuntimeException failure = replaceFails.getAndSet(null);
                    if (failure != null) {
                        return CompletableFuture.failedFuture(failure);
                    }
                    if (alwaysRefused) {
                        refusals.incrementAndGet();
                        CompletableFuture<Ticket> refused = new CompletableFuture<>();
                        Runnable refuse = () -> refused.completeExceptionally(new StoreRefusalException("disk full"));
                        if (refusesLate) {
                            withheld.add(refuse);
                            refusesLate = false;
                        } else {
                            refuse.run();
                        }
                        return refused;
                    }
                    CompletionStage<Ticket> sound = super.replace(mine, mode, permits);
                    if (!withhold) {
                        return sound;
                    }
                    CompletableFuture<Ticket> answer = new CompletableFuture<>();
                    withheld.add(() -> sound.whenComplete((ticket, wrong) -> answer.complete(ticket)));
                    return answer;
                }
            };
        }
    }
}
