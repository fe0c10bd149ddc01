package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.LockClient;
import io.wellkeeper.spi.Notice;
import io.wellkeeper.spi.TicketQueue;
import io.wellkeeper.testkit.ForwardingTicketStore;
import io.wellkeeper.testkit.InMemoryServer;
import io.wellkeeper.testkit.InMemoryTicketStore;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A party of another client that comes when one has given up, over a store that takes a while to hear of it. */
class BarrierGivenUpTest {

    private final InMemoryServer server = new InMemoryServer();
    private final LockClient client = LockClient.over(new InMemoryTicketStore(server));
    private final LockClient other = LockClient.over(new InMemoryTicketStore(server));
    private final Actor party = new Actor();

    @BeforeEach
    void slowDown() {
        server.delay(Duration.ofMillis(100));
    }

    @AfterEach
    void close() {
        party.close();
        client.close();
        other.close();
        server.close();
    }

    @Test
    void await_timesOut_isNotCountedByWhoComesAfter() {
        assertThatExceptionOfType(TimeoutException.class)
                .isThrownBy(() -> client.barrier("b", 2).await(1, TimeUnit.MILLISECONDS));

        assertOtherIsAlone();
    }

    @Test
    void await_interruptedWhileItWaits_isNotCountedByWhoComesAfter() throws Exception {
        Future<Integer> interrupted = party.start(client.barrier("b", 2)::await);
        Await.until("one waits", () -> other.barrier("b", 2).getNumberWaiting() == 1);

        party.interrupt();

        LockKit.assertInterrupted(interrupted);
        assertOtherIsAlone();
    }

    @Test
    void await_interruptedWhileItComes_isNotCountedByWhoComesAfter() throws Exception {
        Thread thread = party.call(Thread::currentThread);
        CountDownLatch begun = new CountDownLatch(1);
        Future<Integer> interrupted = party.start(() -> {
            begun.countDown();
            return client.barrier("b", 2).await();
        });
        begun.await();
        Await.until("it waits", () -> thread.getState() == Thread.State.WAITING);

        party.interrupt();

        LockKit.assertInterrupted(interrupted);
        assertOtherIsAlone();
    }

    @Test
    void await_interruptedAsItHearsThatItHasPassed_doesNotWaitUntilItHasLeft() throws Exception {
        server.delay(Duration.ZERO);
        HeldAnswers store = new HeldAnswers(new InMemoryTicketStore(server));
        LockClient hearing = LockClient.over(
                store,
                ClientOptions.builder().storeTimeout(Duration.ofMinutes(5)).build());
        Future<Integer> interrupted = party.start(hearing.barrier("b", 2)::await);
        Await.until("one waits", () -> other.barrier("b", 2).getNumberWaiting() == 1);
        assertThat(other.barrier("b", 2).await()).isZero();
        Await.until("it has heard", () -> store.heard);

        party.interrupt();

        LockKit.assertInterrupted(interrupted);
        hearing.close();
    }

    /** Whoever has read in a notice that he has passed is held up for good. */
    private static final class HeldAnswers extends ForwardingTicketStore {

        private volatile boolean heard;

        HeldAnswers(InMemoryTicketStore store) {
            super(store);
        }

        @Override
        protected TicketQueue queue(TicketQueue sound, String name) {
            return new ForwardingQueue(sound) {
                @Override
                public CompletionStage<Notice> notice() {
                    Held held = new Held();
                    queue.notice().thenAccept(held::complete);
                    return held;
                }
            };
        }

        private final class Held extends CompletableFuture<Notice> {

            @Override
            public <U> CompletableFuture<U> thenCompose(Function<? super Notice, ? extends CompletionStage<U>> then) {
                CompletableFuture<U> found = super.thenCompose(then);
                return found.thenCompose(value -> {
                    boolean passed = value instanceof Optional<?> answer && answer.isPresent();
                    heard |= passed;
                    return passed ? new CompletableFuture<>() : found;
                });
            }

            @Override
            public <U> CompletableFuture<U> newIncompleteFuture() {
                return new CompletableFuture<>();
            }
        }
    }

    /** What it asks overtakes whatever is still on the way. */
    private void assertOtherIsAlone() {
        server.delay(Duration.ZERO);
        assertThatExceptionOfType(TimeoutException.class)
                .isThrownBy(() -> other.barrier("b", 2).await(0, TimeUnit.SECONDS));
    }
}
