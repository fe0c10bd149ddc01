package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.DistributedLock;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockListener;
import io.wellkeeper.MultiLockHandle;
import io.wellkeeper.Permits;
import io.wellkeeper.Registration;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketQueue;
import io.wellkeeper.spi.Time;
import io.wellkeeper.testkit.ForwardingTicketStore;
import io.wellkeeper.testkit.InMemoryServer;
import io.wellkeeper.testkit.InMemoryTicketStore;
import io.wellkeeper.testkit.SimulatedTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is acquired is handed over once, or released, whatever the callback executor does with it. */
class CallbackExecutorTest {

    private static final List<Function<LockClient, CompletableFuture<?>>> ACQUISITIONS = List.of(
            client -> client.lock("a").acquireAsync(),
            client -> client.all("a", "b").acquireAsync());

    private static final Duration MANY_BEATS = Duration.ofMillis(600);
    private static final String CALLBACKS = "wellkeeper-callbacks-"; // and the name of the client

    private final InMemoryServer server = new InMemoryServer();

    @AfterEach
    void close() {
        server.close();
    }

    private LockClient client(Executor callbacks) {
        return LockClient.over(
                new InMemoryTicketStore(server),
                ClientOptions.builder().callbackExecutor(callbacks).build());
    }

    @Test
    void acquireAsync_executorRunsWhatItHasRefused_isHandedOverOnce() {
        Queue<Runnable> refused = new ConcurrentLinkedQueue<>();
        try (LockClient client = client(task -> {
            refused.add(task);
            throw new RejectedExecutionException("refused");
        })) {
            LockHandle single = Await.get(client.lock("single").acquireAsync());
            MultiLockHandle both = Await.get(client.all("a", "b").acquireAsync());

            refused.forEach(Runnable::run);

            assertThat(single.isHeld()).isTrue();
            assertThat(both.isHeld()).isTrue();
        }
    }

    @Test
    void acquireAsync_cancelledAndTheExecutorRefuses_isReleased() {
        for (Function<LockClient, CompletableFuture<?>> acquisition : ACQUISITIONS) {
            AtomicReference<CompletableFuture<?>> begun = new AtomicReference<>();
            CompletableFuture<Boolean> cancelled = new CompletableFuture<>();
            try (LockClient client = client(task -> {
                cancelled.complete(begun.get().cancel(true));
                throw new RejectedExecutionException("refused");
            })) {
                server.freeze();
                begun.set(acquisition.apply(client));
                server.unfreeze();

                assertThat(Await.get(cancelled)).isTrue();
                Await.until("release", () -> server.queueLength("a") + server.queueLength("b") == 0);
            }
        }
    }

    @Test
    void onLost_executorRefuses_runsOnNoThreadOfTheStore() throws Exception {
        CompletableFuture<Void> end = new CompletableFuture<>();
        CompletableFuture<Void> begun = new CompletableFuture<>();
        ClientOptions options = ClientOptions.builder()
                .sessionTimeout(MANY_BEATS)
                .callbackExecutor(task -> {
                    throw new RejectedExecutionException("refused");
                })
                .build();
        try (LockClient client = LockClient.over(new InMemoryTicketStore(server), options)) {
            client.lock("a").acquire().onLost(() -> {
                begun.complete(null);
                end.join();
            });

            server.removeTicket("a", 0); // which the store tells when the ticket is watched

            assertThat(begun).succeedsWithin(Await.patience());
            assertThat(client.admin().names("")).isEmpty();
        } finally {
            end.complete(null);
        }
    }

    @Test
    void lock_executorThrowsAnError_isTold() throws Exception {
        AtomicBoolean broken = new AtomicBoolean();
        try (Actor actor = new Actor();
                LockClient client = LockClient.over(
                        new InMemoryTicketStore(server),
                        ClientOptions.builder()
                                .listener(new LockListener() {})
                                .callbackExecutor(task -> {
                                    if (broken.get()) {
                                        throw new NoClassDefFoundError("a wrapper");
                                    }
                                })
                                .build())) {
            broken.set(true);

            actor.run(client.lock("a")::lock);

            actor.run(client.lock("a")::unlock);
        }
    }

    /** Another thread gives the others back, or they are lost, while the one that has given some back has not told it yet. */
    @Test
    void release_someByOneThreadAndTheRestByAnother_listenerHearsOfTheEndAtLast() throws Exception {
        List<BiConsumer<LockClient, Permits>> ends =
                List.of((client, permits) -> permits.close(), (client, permits) -> client.close());
        for (BiConsumer<LockClient, Permits> end : ends) {
            List<String> told = new CopyOnWriteArrayList<>();
            CompletableFuture<Void> telling = new CompletableFuture<>();
            CompletableFuture<Void> mayTell = new CompletableFuture<>();
            ClientOptions options = ClientOptions.builder()
                    .listener(new LockListener() {
                        @Override
                        public void partlyReleased(Acquisition what, int permits) {
                            told.add("some");
                        }

                        @Override
                        public void released(Acquisition what, Duration held) {
                            told.add("end");
                        }

                        @Override
                        public void lost(Acquisition what, Duration held, String reason) {
                            told.add("end");
                        }
                    })
                    .callbackExecutor(task -> {
                        if (Thread.currentThread().getName().equals("slow")) {
                            telling.complete(null);
                            mayTell.join();
                        }
                        task.run();
                    })
                    .build();
            try (Actor slow = new Actor("slow");
                    LockClient client = LockClient.over(new InMemoryTicketStore(server), options)) {
                Permits permits = client.semaphore("permits", 3).acquire(3);
                Future<?> released = slow.begin(() -> permits.release(1));
                Await.get(telling);

                end.accept(client, permits);
                mayTell.complete(null);

                Await.result(released);
                assertThat(told).containsExactly("some", "end");
            } finally {
                mayTell.complete(null);
            }
        }
    }

    /** As one that was held up while it gave the lock back. */
    @Test
    void close_beforeACallHasToldItsEnd_listenerHearsOfItStill() throws Exception {
        CompletableFuture<Void> removing = new CompletableFuture<>();
        CompletableFuture<Void> mayRemove = new CompletableFuture<>();
        CompletableFuture<String> told = new CompletableFuture<>();
        ForwardingTicketStore slow = new ForwardingTicketStore(new InMemoryTicketStore(server)) {
            @Override
            protected TicketQueue queue(TicketQueue queue, String name) {
                return new ForwardingQueue(queue) {
                    @Override
                    public CompletionStage<Boolean> remove(Ticket ticket) {
                        removing.complete(null);
                        mayRemove.join();
                        return super.remove(ticket);
                    }
                };
            }
        };
        ClientOptions options = ClientOptions.builder()
                .clientName("closed early")
                .closeTimeout(Duration.ZERO)
                .listener(new LockListener() {
                    @Override
                    public void released(Acquisition what, Duration held) {
                        told.complete(Thread.currentThread().getName());
                    }
                })
                .build();
        try (Actor actor = new Actor()) {
            LockClient client = LockClient.over(slow, options);
            LockHandle handle = client.lock("a").acquire();
            Future<?> released = actor.begin(handle::close);
            Await.get(removing);

            client.close();
            mayRemove.complete(null);

            Await.result(released);
            assertThat(Await.get(told)).isEqualTo(CALLBACKS + "closed early");
            Await.until(
                    "the thread goes",
                    () -> Thread.getAllStackTraces().keySet().stream()
                            .noneMatch(thread -> thread.getName().equals(CALLBACKS + "closed early")));
        } finally {
            mayRemove.complete(null);
        }
    }

    /** As it hears of what is acquired before the caller can release it. */
    @Test
    void tryAcquireAsync_timeIsOver_listenerHearsOfItBeforeTheCaller() {
        SimulatedTime time = new SimulatedTime();
        List<Boolean> answered = new ArrayList<>();
        AtomicReference<CompletableFuture<?>> attempt = new AtomicReference<>(new CompletableFuture<>());
        LockListener listener = new LockListener() {
            @Override
            public void gaveUp(Acquisition what, Duration waited, Outcome outcome, @Nullable Throwable failure) {
                answered.add(attempt.get().isDone());
            }
        };
        try (InMemoryServer simulated = new InMemoryServer(time)) {
            LockClient client = LockClient.over(
                    new InMemoryTicketStore(simulated),
                    ClientOptions.builder()
                            .time(time)
                            .callbackExecutor(Runnable::run)
                            .listener(listener)
                            .closeTimeout(Duration.ZERO)
                            .build());
            CompletableFuture<LockHandle> held = client.lock("a").acquireAsync();
            time.runUntilIdle();
            attempt.set(client.lock("a").tryAcquireAsync(Duration.ofSeconds(1)));

            time.advance(Duration.ofSeconds(2));

            assertThat(answered).containsExactly(false);
            assertThat(attempt.get()).isCompleted();
            held.join().close();
            client.close();
        }
    }

    /** A thread that is woken by something else finds out how its call ends no sooner than the listener, handed over or not. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void lock_wokenBetweenTheHandOverAndTheTelling_listenerHearsOfItBeforeTheCaller(boolean interruptibly)
            throws Exception {
        List<String> told = new CopyOnWriteArrayList<>();
        AtomicReference<@Nullable Thread> waiter = new AtomicReference<>();
        LockListener listener = new LockListener() {
            @Override
            public void contended(Acquisition what) {
                told.add("contended");
            }

            @Override
            public void released(Acquisition what, Duration held) {
                told.add("released");
                Thread woken = waiter.get();
                if (woken != null) {
                    woken.interrupt();
                    Await.until(
                            "it has seen the interrupt, or got the lock",
                            () -> !woken.isInterrupted() || told.contains("locked"));
                }
            }

            @Override
            public void acquired(Acquisition what, Duration waited) {
                told.add("acquired");
            }
        };
        try (Actor actor = new Actor();
                LockClient client = LockClient.over(
                        new InMemoryTicketStore(server),
                        ClientOptions.builder()
                                .callbackExecutor(Runnable::run)
                                .listener(listener)
                                .build())) {
            DistributedLock lock = client.lock("a");
            LockHandle held = lock.acquire();
            waiter.set(actor.call(Thread::currentThread));
            Future<Boolean> locked = actor.start(() -> {
                if (interruptibly) {
                    lock.lockInterruptibly();
                } else {
                    lock.lock();
                }
                told.add("locked");
                return Thread.interrupted();
            });
            Await.until("somebody waits", () -> told.contains("contended"));

            held.close();

            assertThat(Await.result(locked)).as("interrupted").isTrue();
            assertThat(told).containsExactly("acquired", "contended", "released", "acquired", "locked");
            waiter.set(null);
            actor.run(lock::unlock);
        }
    }

    /** Also if the lock is handed over before the one who has to wait has told so. */
    @Test
    void acquireAsync_handedOverBeforeItHasToldThatItWaits_listenerHearsOfThatFirst() {
        SimulatedTime time = new SimulatedTime();
        List<String> told = new ArrayList<>();
        LockListener listener = new LockListener() {
            @Override
            public void contended(Acquisition what) {
                told.add("contended");
            }

            @Override
            public void acquired(Acquisition what, Duration waited) {
                told.add("acquired");
            }
        };
        try (InMemoryServer simulated = new InMemoryServer(time)) {
            Interrupting clock = new Interrupting(time);
            LockClient client = LockClient.over(
                    new InMemoryTicketStore(simulated),
                    ClientOptions.builder()
                            .time(clock)
                            .callbackExecutor(Runnable::run)
                            .listener(listener)
                            .closeTimeout(Duration.ZERO)
                            .build());
            CompletableFuture<LockHandle> first = client.lock("a").acquireAsync();
            time.runUntilIdle();
            clock.atThirdLook = first.join()::close; // after the beginning of the call, and its coming to the gate

            CompletableFuture<LockHandle> second = client.lock("a").acquireAsync();

            assertThat(told).containsExactly("acquired", "contended", "acquired");
            second.join().close();
            client.close();
        }
    }

    /** Also if the session ends before the one who has handed the lock over has told so. */
    @Test
    void acquireAsync_handedOverAndLostBeforeThatIsTold_listenerHearsThatItWasAcquiredFirst() {
        SimulatedTime time = new SimulatedTime();
        List<String> told = new ArrayList<>();
        try (InMemoryServer simulated = new InMemoryServer(time)) {
            InMemoryTicketStore store = new InMemoryTicketStore(simulated);
            LockListener listener = new LockListener() {
                @Override
                public void acquired(Acquisition what, Duration waited) {
                    told.add("acquired");
                }

                @Override
                public void released(Acquisition what, Duration held) {
                    told.add("released");
                    store.expireSessions();
                    time.advance(Duration.ofMillis(1));
                }

                @Override
                public void lost(Acquisition what, Duration held, String reason) {
                    told.add("lost");
                }
            };
            LockClient client = LockClient.over(
                    store,
                    ClientOptions.builder()
                            .time(time)
                            .callbackExecutor(Runnable::run)
                            .listener(listener)
                            .closeTimeout(Duration.ZERO)
                            .build());
            CompletableFuture<LockHandle> first = client.lock("a").acquireAsync();
            time.advance(Duration.ofMillis(1));
            CompletableFuture<LockHandle> second = client.lock("a").acquireAsync();

            first.join().close();

            assertThat(told).containsExactly("acquired", "released", "acquired", "lost");
            assertThat(second.join().isHeld()).isFalse();
            client.close();
        }
    }

    /** Whoever looks at it for the second time finds that something else has happened. */
    private static final class Interrupting implements Time {

        private final Time time;
        private @Nullable Runnable atThirdLook;
        private int looks;

        Interrupting(Time time) {
            this.time = time;
        }

        @Override
        public long nanoTime() {
            Runnable now = atThirdLook;
            if (now != null && ++looks == 3) {
                atThirdLook = null;
                now.run();
            }
            return time.nanoTime();
        }

        @Override
        public Registration schedule(Duration delay, Runnable task) {
            return time.schedule(delay, task);
        }
    }
}
