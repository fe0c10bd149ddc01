package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.DistributedSemaphore;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockStoreException;
import io.wellkeeper.Permits;
import io.wellkeeper.Registration;
import io.wellkeeper.spi.Place;
import io.wellkeeper.spi.StoreRefusalException;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketQueue;
import io.wellkeeper.spi.TicketRequest;
import io.wellkeeper.spi.Time;
import io.wellkeeper.testkit.ForwardingTicketStore;
import io.wellkeeper.testkit.InMemoryServer;
import io.wellkeeper.testkit.InMemoryTicketStore;
import io.wellkeeper.testkit.SimulatedTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** A semaphore that another client has resized is drained of all that is there. */
class DrainedSemaphoreTest {

    private static final String NAME = "drained";
    private static final Duration A_SECOND = Duration.ofSeconds(1);
    private static final Duration A_LOOK = Duration.ofMillis(10);
    private static final int MOST_LOOKS = 1_000;

    @Test
    void drainPermits_anotherHasMadeMore_takesThemAll() throws Exception {
        try (InMemoryServer server = new InMemoryServer();
                LockClient other = LockClient.over(new InMemoryTicketStore(server));
                LockClient client = LockClient.over(new InMemoryTicketStore(server))) {
            DistributedSemaphore semaphore = client.semaphore(NAME, 3);
            Permits one = semaphore.acquire();
            other.semaphore(NAME, 3).resize(10);

            assertThat(semaphore.drainPermits().map(Permits::count)).contains(9);
            one.close();
        }
    }

    @Test
    void drainPermits_anotherMakesFewerMeanwhile_takesWhatIsLeft() throws Exception {
        AtomicReference<Runnable> beforeTake = new AtomicReference<>(() -> {});
        try (InMemoryServer server = new InMemoryServer();
                LockClient other = LockClient.over(new InMemoryTicketStore(server));
                LockClient client = LockClient.over(new ForwardingTicketStore(new InMemoryTicketStore(server)) {
                    @Override
                    protected TicketQueue queue(TicketQueue sound, String name) {
                        return new ForwardingQueue(sound) {
                            @Override
                            public CompletionStage<Place> take(TicketRequest request) {
                                beforeTake.getAndSet(() -> {}).run();
                                return super.take(request);
                            }
                        };
                    }
                })) {
            DistributedSemaphore semaphore = client.semaphore(NAME, 5);
            Permits one = semaphore.acquire();
            beforeTake.set(() -> other.semaphore(NAME, 5).resize(3));

            assertThat(semaphore.drainPermits().map(Permits::count)).contains(2);
            one.close();
        }
    }

    /** All permits are there, but a waiter that has lost its ticket, and gets no other, is to have some of them first. */
    @Test
    void drainPermits_aWaiterHereGetsNoTicket_givesUpWhenTheStoreTimeoutHasPassed() {
        SimulatedTime time = new SimulatedTime();
        AtomicInteger looks = new AtomicInteger();
        ClientOptions options = ClientOptions.builder()
                .sessionTimeout(A_SECOND.multipliedBy(60))
                .time(
                        new Time() { // in which each look takes a while

                            @Override
                            public long nanoTime() {
                                return time.nanoTime() + looks.get() * A_LOOK.toNanos();
                            }

                            @Override
                            public Registration schedule(Duration delay, Runnable task) {
                                return time.schedule(delay, task);
                            }
                        })
                .callbackExecutor(time.executor())
                .build();
        AtomicBoolean full = new AtomicBoolean();
        try (InMemoryServer server = new InMemoryServer(time)) {
            LockClient other = LockClient.over(new InMemoryTicketStore(server), options);
            LockClient client = LockClient.over(
                    new ForwardingTicketStore(new InMemoryTicketStore(server)) {
                        @Override
                        protected TicketQueue queue(TicketQueue sound, String name) {
                            return new ForwardingQueue(sound) {
                                @Override
                                public CompletionStage<Place> take(TicketRequest request) {
                                    return full.get() ? failed(new LockStoreException("full")) : super.take(request);
                                }

                                @Override
                                public CompletionStage<List<Ticket>> tickets() {
                                    return looks.incrementAndGet() > MOST_LOOKS
                                            ? failed(new StoreRefusalException("it never ends"))
                                            : super.tickets();
                                }
                            };
                        }
                    },
                    options);
            CompletableFuture<Permits> all = other.semaphore(NAME, 3).acquireAsync(3);
            time.advance(A_SECOND);
            CompletableFuture<Permits> waiting = client.semaphore(NAME, 3).acquireAsync(2);
            time.advance(A_SECOND);
            full.set(true);
            server.removeTicket(NAME, 1);
            time.advance(A_SECOND);
            all.join().close();
            time.advance(A_SECOND);

            assertThat(time.call(() -> client.semaphore(NAME, 3).drainPermits()))
                    .isEmpty();

            assertThat(waiting).isNotDone();
        }
    }

    private static <T> CompletionStage<T> failed(LockStoreException failure) {
        return CompletableFuture.failedFuture(failure);
    }
}
