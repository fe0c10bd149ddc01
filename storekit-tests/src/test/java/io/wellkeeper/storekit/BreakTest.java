package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockLostException;
import io.wellkeeper.LockStoreException;
import io.wellkeeper.Participant;
import io.wellkeeper.spi.Notice;
import io.wellkeeper.spi.Session;
import io.wellkeeper.spi.SessionListener;
import io.wellkeeper.spi.SessionOptions;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketInfo;
import io.wellkeeper.spi.TicketQueue;
import io.wellkeeper.testkit.ForwardingTicketStore;
import io.wellkeeper.testkit.InMemoryServer;
import io.wellkeeper.testkit.InMemoryTicketStore;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class BreakTest {

    private static final String NAME = "broken";

    private final InMemoryServer server = new InMemoryServer();
    private final AtomicInteger removals = new AtomicInteger();

    @Test
    void breakLock_ownLockAndTheRemovalFails_isRemovedAllTheSame() throws Exception {
        try (LockClient client = LockClient.over(new FailingRemovals())) {
            client.lock(NAME).lock();

            assertThat(client.admin().breakLock(NAME, "why")).hasSize(1);

            assertThat(removals).hasValue(3);
            assertThat(server.queueLength(NAME)).isZero();
        } finally {
            server.close();
        }
    }

    @Test
    void breakLock_severalRemovalsFail_noFailureIsHidden() throws Exception {
        try (LockClient holder = LockClient.over(new InMemoryTicketStore(server));
                LockClient client = LockClient.over(new FailingRemovals())) {
            holder.semaphore(NAME, 3).acquire();
            holder.semaphore(NAME, 3).acquire();
            holder.semaphore(NAME, 3).acquire();

            assertThatExceptionOfType(LockStoreException.class)
                    .isThrownBy(() -> client.admin().breakLock(NAME, "why"))
                    .withMessageContaining("no answer 1")
                    .satisfies(thrown -> assertThat(thrown.getSuppressed())
                            .hasExactlyElementsOfTypes(LockStoreException.class)
                            .allSatisfy(other -> assertThat(other).hasMessageContaining("no answer 2")));

            assertThat(server.queueLength(NAME)).isEqualTo(2);
        } finally {
            server.close();
        }
    }

    @Test
    void breakLock_answerToTheRemovalIsLate_theWaiterOfTheSameClientIsLetIn() throws Exception {
        assertWaiterIsLetIn(answer -> answer.complete(null));
    }

    @Test
    void breakLock_answerToTheRemovalIsLost_theWaiterOfTheSameClientIsLetIn() throws Exception {
        assertWaiterIsLetIn(answer -> answer.completeExceptionally(new LockStoreException("connection reset")));
    }

    private void assertWaiterIsLetIn(Consumer<CompletableFuture<Void>> answering) throws Exception {
        LateRemovals store = new LateRemovals();
        ClientOptions rareBeats = ClientOptions.builder()
                .sessionTimeout(Duration.ofMinutes(10))
                .storeTimeout(Duration.ofMillis(500))
                .build();
        try (LockClient other = LockClient.over(new InMemoryTicketStore(server));
                LockClient client = LockClient.over(store, rareBeats)) {
            other.lock(NAME).acquire();
            CompletableFuture<LockHandle> waiting = client.lock(NAME).acquireAsync();
            Await.until("two in the queue", () -> server.queueLength(NAME) == 2);

            assertThatThrownBy(() -> client.admin().breakLock(NAME, "why")).isInstanceOf(LockStoreException.class);
            assertThat(server.queueLength(NAME)).isOne();
            answering.accept(store.answer);

            assertThat(Await.get(waiting).isHeld()).isTrue();
        } finally {
            server.close();
        }
    }

    @Test
    void breakLock_twiceBeforeTheFirstHolderReadsWhoHasDoneIt_bothReadIt() throws Exception {
        LateReads store = new LateReads();
        try (LockClient one = LockClient.over(store);
                LockClient two = LockClient.over(new InMemoryTicketStore(server));
                LockClient three = LockClient.over(new InMemoryTicketStore(server));
                LockClient operator = LockClient.over(
                        new InMemoryTicketStore(server),
                        ClientOptions.builder().clientName("operator").build())) {
            LockHandle first = one.lock(NAME).acquire();
            CompletableFuture<LockHandle> second = two.lock(NAME).acquireAsync();
            Await.until("two in the queue", () -> server.queueLength(NAME) == 2);
            CompletableFuture<LockHandle> third = three.lock(NAME).acquireAsync();
            Await.until("three in the queue", () -> server.queueLength(NAME) == 3);

            operator.admin().breakLock(NAME, "it hangs");
            Await.get(second);
            operator.admin().breakLock(NAME, "so does this");
            Await.get(third);
            store.reading.complete(null);

            awaitLoss(second.join(), "'operator' has broken the lock: so does this");
            awaitLoss(first, "'operator' has broken the lock: it hangs");
            third.join().close();
        } finally {
            server.close();
        }
    }

    /** Whether a ticket was given back meanwhile is remembered by the session only while it knows that a lock is being broken. */
    @Test
    void breakLock_sessionBeginsInTheMidst_knowsWhatWasGivenBackInIt() throws Exception {
        LateSessions store = new LateSessions();
        try (LockClient client = LockClient.over(store)) {
            store.opening = new CompletableFuture<>();
            store.store().expireSessions();
            Await.until("the session is lost", () -> client.sessionRemaining().isZero());
            FutureTask<List<Participant>> broken =
                    new FutureTask<>(() -> client.admin().breakLock(NAME, "why"));
            Thread breaker = new Thread(broken);
            breaker.start();
            Await.until("the break waits for a session", () -> breaker.getState() != Thread.State.RUNNABLE);

            store.opening.complete(null);
            LockHandle handle = Await.get(client.lock(NAME).acquireAsync());
            store.inspecting.complete(null);
            Await.get(store.posted);
            handle.close();
            Await.until("nobody in the queue", () -> server.queueLength(NAME) == 0);
            store.posting.complete(null);

            assertThat(Await.result(broken)).hasSize(1);
            Await.get(client.lock(NAME).acquireAsync()).close();
        } finally {
            server.close();
        }
    }

    private static void awaitLoss(LockHandle handle, String why) {
        await().untilAsserted(() -> assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(handle::checkHeld)
                .withMessageContaining(why));
    }

    /** No session is opened, no queue inspected and no notice posted before the test says so. */
    private final class LateSessions extends ForwardingTicketStore {

        private final CompletableFuture<Void> inspecting = new CompletableFuture<>();
        private final CompletableFuture<Void> posted = new CompletableFuture<>();
        private final CompletableFuture<Void> posting = new CompletableFuture<>();
        private volatile CompletableFuture<Void> opening = CompletableFuture.completedFuture(null);

        LateSessions() {
            super(new InMemoryTicketStore(server));
        }

        @Override
        public CompletionStage<Session> open(SessionOptions options, SessionListener listener) {
            return opening.thenCompose(ready -> super.open(options, listener));
        }

        @Override
        protected TicketQueue queue(TicketQueue sound, String name) {
            return new ForwardingQueue(sound) {
                @Override
                public CompletionStage<List<TicketInfo>> inspect() {
                    return inspecting.thenCompose(ready -> super.inspect());
                }

                @Override
                public CompletionStage<Boolean> post(Notice seen, String text) {
                    posted.complete(null);
                    return posting.thenCompose(ready -> super.post(seen, text));
                }
            };
        }
    }

    /** No notice is read before the test says so. */
    private final class LateReads extends ForwardingTicketStore {

        private final CompletableFuture<Void> reading = new CompletableFuture<>();

        LateReads() {
            super(new InMemoryTicketStore(server));
        }

        @Override
        protected TicketQueue queue(TicketQueue sound, String name) {
            return new ForwardingQueue(sound) {
                @Override
                public CompletionStage<Notice> notice() {
                    return reading.thenCompose(ready -> super.notice());
                }
            };
        }
    }

    /** They are done at once, and answered later. */
    private final class LateRemovals extends ForwardingTicketStore {

        private final CompletableFuture<Void> answer = new CompletableFuture<>();

        LateRemovals() {
            super(new InMemoryTicketStore(server));
        }

        @Override
        protected TicketQueue queue(TicketQueue sound, String name) {
            return new ForwardingQueue(sound) {
                @Override
                public CompletionStage<Boolean> remove(Ticket ticket) {
                    return super.remove(ticket).thenCombine(answer, (removed, answered) -> removed);
                }
            };
        }
    }

    /** The first two of them fail. */
    private final class FailingRemovals extends ForwardingTicketStore {

        FailingRemovals() {
            super(new InMemoryTicketStore(server));
        }

        @Override
        protected TicketQueue queue(TicketQueue sound, String name) {
            return new ForwardingQueue(sound) {
                @Override
                public CompletionStage<Boolean> remove(Ticket ticket) {
                    int number = removals.incrementAndGet();
                    return number < 3
                            ? CompletableFuture.failedFuture(new LockStoreException("no answer " + number))
                            : super.remove(ticket);
                }
            };
        }
    }
}
