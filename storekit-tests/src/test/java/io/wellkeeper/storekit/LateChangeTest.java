package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockStoreException;
import io.wellkeeper.Permits;
import io.wellkeeper.spi.Notice;
import io.wellkeeper.spi.Session;
import io.wellkeeper.spi.SessionListener;
import io.wellkeeper.spi.SessionOptions;
import io.wellkeeper.spi.TicketQueue;
import io.wellkeeper.spi.TicketStore;
import io.wellkeeper.testkit.ForwardingTicketStore;
import io.wellkeeper.testkit.InMemoryServer;
import io.wellkeeper.testkit.InMemoryTicketStore;
import io.wellkeeper.testkit.SimulatedTime;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A change that has failed because the time for it was over is not begun when the store answers after all. */
class LateChangeTest {

    private static final String NAME = "late";
    private static final Duration STORE_TIMEOUT = Duration.ofSeconds(1);
    private static final Duration LONG = Duration.ofMinutes(1);
    private static final CompletableFuture<Void> NOW = CompletableFuture.completedFuture(null);

    private final SimulatedTime time = new SimulatedTime();
    private final InMemoryServer server = new InMemoryServer(time);
    private final AtomicInteger reads = new AtomicInteger();
    private final AtomicInteger posts = new AtomicInteger();
    private final Actor actor = new Actor();
    private volatile CompletableFuture<Void> opening = NOW; // before it no session begins
    private volatile CompletableFuture<Void> reading = NOW; // before it no notice is shown
    private final LockClient client = client(new Slow());
    private final LockClient other = client(new InMemoryTicketStore(server));

    private LockClient client(TicketStore store) {
        return LockClient.over(
                store,
                ClientOptions.builder()
                        .time(time)
                        .callbackExecutor(time.executor())
                        .storeTimeout(STORE_TIMEOUT)
                        .build());
    }

    @AfterEach
    void close() {
        actor.close();
        server.close();
    }

    private void expireSlowly(Actor.Action change) {
        Future<?> changing = actor.begin(change);
        Await.until("the end of its time", () -> {
            time.advance(STORE_TIMEOUT.dividedBy(10));
            return changing.isDone();
        });
        assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> Await.result(changing));
    }

    private void assertIsNotBegunWhenTheNoticeComesLate(Actor.Action change) {
        time.runUntilIdle();
        reading = new CompletableFuture<>();
        int readsBefore = reads.get();
        int postsBefore = posts.get();
        expireSlowly(change);

        reading.complete(null);
        time.advance(LONG);

        assertThat(reads.get()).isGreaterThan(readsBefore);
        assertThat(posts).hasValue(postsBefore);
    }

    @Test
    void trySetCount_noticeComesAfterTheCallHasFailed_isNotBegun() {
        assertIsNotBegunWhenTheNoticeComesLate(() -> client.latch(NAME).trySetCount(1));

        assertThat(time.call(client.latch(NAME)::getCount)).isZero();
    }

    @Test
    void resize_noticeComesAfterTheCallHasFailed_isNotBegun() {
        CompletableFuture<Permits> held = other.semaphore(NAME, 2).acquireAsync(1);
        time.runUntilIdle();
        assertThat(held).isCompleted();

        assertIsNotBegunWhenTheNoticeComesLate(() -> client.semaphore(NAME, 2).resize(5));
    }

    private CompletableFuture<LockHandle> waitOnCondition() {
        CompletableFuture<LockHandle> waiting = other.lock(NAME)
                .acquireAsync()
                .thenCompose(held -> other.lock(NAME).newCondition("ready").awaitAsync(held));
        time.advance(LONG);
        return waiting;
    }

    @Test
    void signal_queueComesAfterTheCallHasFailed_isNotBegun() {
        CompletableFuture<LockHandle> waiting = waitOnCondition();
        CompletableFuture<LockHandle> signaller = client.lock(NAME).acquireAsync();
        time.advance(LONG);

        assertIsNotBegunWhenTheNoticeComesLate(
                () -> Await.get(client.lock(NAME).newCondition("ready").signalAsync(signaller.join())));

        assertThat(waiting).isNotDone();
    }

    /** The signaller may give the lock up then: a signal would come while others hold it. */
    @Test
    void signalAsync_cancelledBeforeTheQueueHasCome_isNotBegun() {
        CompletableFuture<LockHandle> waiting = waitOnCondition();
        CompletableFuture<LockHandle> signaller = client.lock(NAME).acquireAsync();
        time.advance(LONG);
        reading = new CompletableFuture<>();
        CompletableFuture<Void> signalled =
                client.lock(NAME).newCondition("ready").signalAsync(signaller.join());
        time.runUntilIdle();

        signalled.cancel(false);
        reading.complete(null);
        signaller.join().close();
        time.advance(LONG);

        assertThat(posts).hasValue(0);
        assertThat(waiting).isNotDone();
    }

    @Test
    void countDown_sessionComesAfterTheCallsHaveFailed_countsNothing() {
        time.runUntilIdle();
        opening = new CompletableFuture<>();
        server.loseData();
        time.advance(LONG); // a server that has lost its data lets others begin only then
        time.call(() -> other.latch(NAME).trySetCount(10));
        for (int i = 0; i < 3; i++) { // a worker that tries again
            expireSlowly(client.latch(NAME)::countDown);
        }

        opening.complete(null);
        time.advance(LONG);

        assertThat(time.call(client.latch(NAME)::getCount)).isEqualTo(10);
    }

    private final class Slow extends ForwardingTicketStore {

        Slow() {
            super(new InMemoryTicketStore(server));
        }

        @Override
        public CompletionStage<Session> open(SessionOptions options, SessionListener listener) {
            return opening.thenCompose(now -> super.open(options, listener));
        }

        @Override
        protected TicketQueue queue(TicketQueue sound, String name) {
            return new ForwardingQueue(sound) {
                @Override
                public CompletionStage<Notice> notice() {
                    reads.incrementAndGet();
                    return super.notice().thenCombine(reading, (seen, now) -> seen);
                }

                @Override
                public CompletionStage<Boolean> post(Notice seen, String text) {
                    posts.incrementAndGet();
                    return super.post(seen, text);
                }
            };
        }
    }
}
