package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.DistributedBarrier;
import io.wellkeeper.DistributedLatch;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockClientClosedException;
import io.wellkeeper.LockStoreException;
import io.wellkeeper.Registration;
import io.wellkeeper.spi.Notice;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketQueue;
import io.wellkeeper.testkit.ForwardingTicketStore;
import io.wellkeeper.testkit.InMemoryServer;
import io.wellkeeper.testkit.InMemoryTicketStore;
import io.wellkeeper.testkit.SimulatedTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How waits for a latch or at a barrier end when the client is closed, or the store has trouble. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class QueueWaitTest {

    private static final String NAME = "waited";
    private static final Duration SHORT = Duration.ofMillis(50);
    private static final Duration RARE_BEATS = Duration.ofMinutes(10);

    private final InMemoryServer server = new InMemoryServer();
    private final InMemoryTicketStore connection = new InMemoryTicketStore(server);

    @AfterEach
    void close() {
        server.close();
    }

    @Test
    void await_timedOnAClosedClient_saysSo() {
        LockClient client = LockClient.over(connection);
        DistributedLatch latch = client.latch(NAME);
        DistributedBarrier barrier = client.barrier(NAME, 2);
        client.close();

        assertThat(latch.awaitAsync(SHORT)).failsWithin(Await.patience());
        assertThat(barrier.awaitAsync(SHORT)).failsWithin(Await.patience());
        assertThatExceptionOfType(LockClientClosedException.class)
                .isThrownBy(() -> latch.await(SHORT.toMillis(), TimeUnit.MILLISECONDS));
        assertThatExceptionOfType(LockClientClosedException.class)
                .isThrownBy(() -> barrier.await(SHORT.toMillis(), TimeUnit.MILLISECONDS));
    }

    @Test
    void await_questionOfALostSessionIsNeverAnswered_goesOnInTheNext() {
        AtomicBoolean silent = new AtomicBoolean();
        AtomicInteger unanswered = new AtomicInteger();
        ForwardingTicketStore store = new ForwardingTicketStore(connection) {
            @Override
            protected TicketQueue queue(TicketQueue sound, String name) {
                return new ForwardingQueue(sound) {
                    @Override
                    public CompletionStage<Notice> notice() {
                        if (silent.get()) {
                            unanswered.incrementAndGet();
                            return new CompletableFuture<>();
                        }
                        return super.notice();
                    }
                };
            }
        };
        try (LockClient client = LockClient.over(store);
                LockClient other = LockClient.over(new InMemoryTicketStore(server))) {
            other.latch(NAME).trySetCount(1);
            silent.set(true);
            CompletableFuture<Void> waiting = client.latch(NAME).awaitAsync();
            Await.until("a question", () -> unanswered.get() > 0);

            silent.set(false);
            connection.expireSessions();
            other.latch(NAME).countDown();

            assertThat(waiting).succeedsWithin(Await.patience());
        }
    }

    /** The notice was read before the passage, and the queue after it. */
    @Test
    void await_ticketIsGoneAfterThePassage_hasPassed() {
        CompletableFuture<Void> gate = new CompletableFuture<>();
        AtomicInteger held = new AtomicInteger();
        ForwardingTicketStore store = new ForwardingTicketStore(connection) {
            @Override
            protected TicketQueue queue(TicketQueue sound, String name) {
                return new ForwardingQueue(sound) {
                    @Override
                    public CompletionStage<List<Ticket>> tickets() {
                        held.incrementAndGet();
                        return gate.thenCompose(open -> super.tickets());
                    }
                };
            }
        };
        try (LockClient client = LockClient.over(store);
                LockClient other = LockClient.over(new InMemoryTicketStore(server))) {
            CompletableFuture<Integer> early = client.barrier(NAME, 2).awaitAsync();
            Await.until("a question for the queue", () -> held.get() > 0);
            assertThat(other.barrier(NAME, 2).awaitAsync()).succeedsWithin(Await.patience());

            CompletableFuture<Integer> next = other.barrier(NAME, 2).awaitAsync(); // for whom the store remembers it
            Await.until("another party", () -> other.barrier(NAME, 2).getNumberWaiting() == 1);
            server.removeTicket("wellkeeper:barrier/" + NAME, 0);
            gate.complete(null);

            assertThat(early).succeedsWithin(Await.patience()).isEqualTo(1);
            assertThat(next).isNotDone();
        }
    }

    @Test
    void await_storeCannotWatchForAMoment_goesOn() {
        AtomicBoolean refuses = new AtomicBoolean();
        ForwardingTicketStore store = new ForwardingTicketStore(connection) {
            @Override
            protected TicketQueue queue(TicketQueue sound, String name) {
                return new ForwardingQueue(sound) {
                    @Override
                    public Registration onNotice(Runnable changed) {
                        if (refuses.getAndSet(false)) {
                            throw new LockStoreException("just now no watch");
                        }
                        return super.onNotice(changed);
                    }
                };
            }
        };
        try (LockClient client = LockClient.over(store);
                LockClient other = LockClient.over(new InMemoryTicketStore(server))) {
            client.latch(NAME).trySetCount(1);
            CompletableFuture<Void> waiting = client.latch(NAME).awaitAsync();
            refuses.set(true);
            connection.expireSessions();
            Await.until("a watch in the next session", () -> !refuses.get());

            other.latch(NAME).countDown();

            assertThat(waiting).succeedsWithin(Await.patience());
        }
    }

    @Test
    void await_sessionEndsWhileItsWatchIsBeingArmed_isToldInTheNext() {
        AtomicInteger watches = new AtomicInteger();
        AtomicInteger answers = new AtomicInteger();
        CompletableFuture<Void> resume = new CompletableFuture<>();
        ForwardingTicketStore store = new ForwardingTicketStore(connection) {
            @Override
            protected TicketQueue queue(TicketQueue sound, String name) {
                return new ForwardingQueue(sound) {
                    @Override
                    public Registration onNotice(Runnable changed) {
                        Registration armed = super.onNotice(changed);
                        if (watches.incrementAndGet() == 1) {
                            Await.get(resume);
                        }
                        return armed;
                    }

                    @Override
                    public CompletionStage<Notice> notice() {
                        return super.notice().whenComplete((seen, failure) -> answers.incrementAndGet());
                    }
                };
            }
        };
        try (Actor actor = new Actor();
                LockClient client = LockClient.over(
                        store,
                        ClientOptions.builder().sessionTimeout(RARE_BEATS).build());
                LockClient other = LockClient.over(new InMemoryTicketStore(server))) {
            other.latch(NAME).trySetCount(1);
            Future<CompletableFuture<Void>> arming = actor.start(client.latch(NAME)::awaitAsync);
            Await.until("a watch", () -> watches.get() == 1);
            connection.expireSessions();
            Await.until("an answer in the next session", () -> answers.get() == 1);
            resume.complete(null);
            CompletableFuture<Void> waiting = Await.result(arming);

            other.latch(NAME).countDown();

            assertThat(waiting).succeedsWithin(Await.patience());
        }
    }

    @Test
    void await_driverOfTheStoreIsNotThere_ends() {
        AtomicBoolean broken = new AtomicBoolean();
        ForwardingTicketStore store = new ForwardingTicketStore(connection) {
            @Override
            protected TicketQueue queue(TicketQueue sound, String name) {
                return new ForwardingQueue(sound) {
                    @Override
                    public CompletionStage<Notice> notice() {
                        return broken.get()
                                ? CompletableFuture.failedFuture(new NoClassDefFoundError("some/Driver"))
                                : super.notice();
                    }
                };
            }
        };
        try (LockClient client = LockClient.over(store)) {
            client.latch(NAME).trySetCount(1);
            broken.set(true);

            assertThat(client.latch(NAME).awaitAsync()).failsWithin(Await.patience());
            assertThat(client.barrier(NAME, 2).awaitAsync()).failsWithin(Await.patience());
        }
    }

    @Test
    void await_storeIsInTroubleForLong_isNotAskedEverMoreOften() {
        SimulatedTime time = new SimulatedTime();
        AtomicInteger questions = new AtomicInteger();
        AtomicBoolean busy = new AtomicBoolean();
        try (InMemoryServer simulated = new InMemoryServer(time)) {
            ForwardingTicketStore store = new ForwardingTicketStore(new InMemoryTicketStore(simulated)) {
                @Override
                protected TicketQueue queue(TicketQueue sound, String name) {
                    return new ForwardingQueue(sound) {
                        @Override
                        public CompletionStage<Notice> notice() {
                            questions.incrementAndGet();
                            return busy.get()
                                    ? CompletableFuture.failedFuture(new LockStoreException("busy"))
                                    : super.notice();
                        }
                    };
                }
            };
            LockClient client = LockClient.over(
                    store,
                    ClientOptions.builder()
                            .time(time)
                            .callbackExecutor(time.executor())
                            .build());
            time.advance(Duration.ofSeconds(1));
            time.call(() -> client.latch(NAME).trySetCount(1));
            CompletableFuture<Void> waiting = client.latch(NAME).awaitAsync();
            busy.set(true);
            time.advance(Duration.ofMinutes(10));
            questions.set(0);

            time.advance(Duration.ofMinutes(1));

            assertThat(questions.get()).isBetween(1, 100);
            busy.set(false);
            time.call(() -> {
                client.latch(NAME).countDown();
                return true;
            });
            time.advance(Duration.ofSeconds(2));
            assertThat(waiting).isCompleted();
        }
    }
}
