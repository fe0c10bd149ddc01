package io.wellkeeper.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.DistributedLock;
import io.wellkeeper.DistributedReadWriteLock;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockListener;
import io.wellkeeper.LockOptions;
import io.wellkeeper.LockStoreException;
import io.wellkeeper.Registration;
import io.wellkeeper.spi.DepartureWatcher;
import io.wellkeeper.spi.Mode;
import io.wellkeeper.spi.Place;
import io.wellkeeper.spi.StoreRefusalException;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketQueue;
import io.wellkeeper.spi.TicketRequest;
import java.time.Duration;
import java.util.Collection;
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
    private static final Duration MANY_BEATS = Duration.ofMillis(600);

    private final InMemoryServer server = new InMemoryServer();
    private final Troubled store = new Troubled();
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
            await().until(() -> server.tickets().slips(NAME).get(0).ticket().mode() == Mode.SHARED);

            client.breakLock(NAME, "why");
            store.withheld.get(0).run();

            assertThat(reading.lost()).succeedsWithin(Await.patience());
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
    void downgrade_storeRefuses_isHeldAsBeforeAndMadeMilderLater() throws Exception {
        try (LockClient client = client(MANY_BEATS, Runnable::run)) {
            DistributedReadWriteLock lock = client.readWriteLock(NAME);
            LockHandle writing = lock.writeLock().acquire();
            store.replaceFails.set(new StoreRefusalException("disk full"));

            LockHandle reading = lock.downgrade(writing);

            await().until(() -> server.tickets().slips(NAME).get(0).ticket().mode() == Mode.SHARED);
            reading.checkHeld();
            reading.close();
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

    private LockClient client(Duration session, Executor callbacks) {
        return LockClient.over(
                store,
                ClientOptions.builder()
                        .sessionTimeout(session)
                        .callbackExecutor(callbacks)
                        .listener(new LockListener() {
                            @Override
                            public void acquired(String lock, Duration waited) {
                                acquired.incrementAndGet();
                            }

                            @Override
                            public void released(String lock, Duration held) {
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
        volatile boolean withhold;
        volatile boolean cannotTellWhoWaits;

        Troubled() {
            super(new InMemoryTicketStore(server));
        }

        @Override
        TicketQueue queue(TicketQueue sound, String name) {
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
                    return super.onDeparture(any, watcher);
                }

                @Override
                public CompletionStage<Boolean> alone(Ticket mine, Runnable arrived) {
                    if (cannotTellWhoWaits) {
                        throw new NoClassDefFoundError("driver");
                    }
                    return super.alone(mine, arrived);
                }

                @Override
                public CompletionStage<Ticket> replace(Ticket mine, Mode mode, int permits) {
                    RuntimeException failure = replaceFails.getAndSet(null);
                    if (failure != null) {
                        return CompletableFuture.failedFuture(failure);
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
