package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.DistributedLock;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockOptions;
import io.wellkeeper.LockStoreException;
import io.wellkeeper.spi.Mode;
import io.wellkeeper.spi.Notice;
import io.wellkeeper.spi.Place;
import io.wellkeeper.spi.Session;
import io.wellkeeper.spi.SessionLostException;
import io.wellkeeper.spi.SessionOptions;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketQueue;
import io.wellkeeper.spi.TicketRequest;
import io.wellkeeper.testkit.InMemoryServer;
import io.wellkeeper.testkit.InMemoryTicketStore;
import io.wellkeeper.testkit.Request;
import io.wellkeeper.testkit.SimulatedTime;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** The server in memory is strict, and counts; under simulated time all happens on the test's thread. */
class InMemoryServerTest {

    private static final TicketRequest REQUEST = new TicketRequest("r1", Mode.EXCLUSIVE, 1, "");

    private final SimulatedTime time = new SimulatedTime();
    private final InMemoryServer server = new InMemoryServer(time);
    private final InMemoryTicketStore store = new InMemoryTicketStore(server);

    private Session open() {
        CompletableFuture<Session> opened = store.open(
                        new SessionOptions("test", Duration.ofSeconds(6)), new TicketStoreKit.Told())
                .toCompletableFuture();
        time.runUntilIdle();
        return opened.join();
    }

    private LockClient client(LockOptions locks) {
        LockClient client = LockClient.over(
                store,
                ClientOptions.builder()
                        .lockDefaults(locks)
                        .time(time)
                        .callbackExecutor(time.executor())
                        .build());
        time.runUntilIdle();
        return client;
    }

    @Test
    void take_delayed_isAnsweredAfterTwoWays() {
        Session session = open();
        server.delay(Duration.ofMillis(5));
        CompletableFuture<Place> taken = session.queue("a").take(REQUEST).toCompletableFuture();

        time.advance(Duration.ofMillis(9));
        assertThat(taken).isNotDone();
        time.advance(Duration.ofMillis(1));
        assertThat(taken).isCompleted();
    }

    @Test
    void take_requestIdOfALivingTicket_isAViolation() {
        Session session = open();
        session.queue("a").take(REQUEST);
        CompletableFuture<Place> second = session.queue("b").take(REQUEST).toCompletableFuture();
        time.runUntilIdle();

        assertThat(second).isCompletedExceptionally();
        assertThat(server.violations()).hasSize(1);
        assertThat(server.leftovers()).containsAll(server.violations());
    }

    @Test
    void take_malformed_isAViolation() {
        Session session = open();
        for (TicketRequest bad : List.of(
                new TicketRequest("", Mode.EXCLUSIVE, 1, ""),
                new TicketRequest("a b", Mode.EXCLUSIVE, 1, ""),
                new TicketRequest("r", Mode.EXCLUSIVE, 0, ""),
                new TicketRequest("r", Mode.EXCLUSIVE, 1, "m".repeat(16 * 1024 + 1)))) {
            assertThatExceptionOfType(IllegalArgumentException.class)
                    .isThrownBy(() -> session.queue("a").take(bad));
        }
        assertThat(server.violations()).hasSize(4);
    }

    @Test
    void replace_notOwnOrNotMilder_isAViolation() {
        TicketQueue queue = open().queue("a");
        Session stranger = open();
        Ticket plain = taken(queue, new TicketRequest("r1", Mode.EXCLUSIVE, 1, ""));
        Ticket write = taken(queue, new TicketRequest("r2", Mode.WRITE, 1, ""));
        Ticket large = taken(queue, new TicketRequest("r3", Mode.EXCLUSIVE, 3, ""));
        for (ThrowingCallable bad : List.<ThrowingCallable>of(
                () -> stranger.queue("a").replace(write, Mode.SHARED, 1),
                () -> queue.replace(plain, Mode.EXCLUSIVE, 1),
                () -> queue.replace(write, Mode.EXCLUSIVE, 1),
                () -> queue.replace(large, Mode.EXCLUSIVE, 4),
                () -> queue.replace(large, Mode.EXCLUSIVE, 0))) {
            assertThatExceptionOfType(IllegalArgumentException.class).isThrownBy(bad);
        }
        assertThat(server.violations()).hasSize(5);
    }

    @Test
    void notice_lastTicketDeparts_isForgottenAndWatchersAreTold() {
        Session session = open();
        TicketQueue queue = session.queue("a");
        queue.post(new Notice("", 0), "posted");
        time.runUntilIdle();
        assertThat(server.leftovers()).containsExactly("session " + session.id(), "notice of 'a': posted");
        Ticket ticket = taken(queue, REQUEST);
        AtomicInteger told = new AtomicInteger();
        queue.onNotice(told::incrementAndGet);
        queue.remove(ticket);
        CompletableFuture<Notice> forgotten = queue.notice().toCompletableFuture();
        time.runUntilIdle();

        assertThat(forgotten.join().text()).isEmpty();
        assertThat(told).hasValue(1);
        assertThat(server.leftovers())
                .containsExactly("session " + session.id(), "watch of " + session.id() + " on the notice of 'a'");
        server.wakeForNothing();
        time.runUntilIdle();
        assertThat(told).hasValue(2);
    }

    @Test
    void cut_openPost_failsAndIsNotRepeated() {
        TicketQueue queue = open().queue("a");
        CompletableFuture<Boolean> posted =
                queue.post(new Notice("", 0), "posted").toCompletableFuture();
        store.cut();
        time.runUntilIdle();

        assertThat(posted).isCompletedExceptionally();
        assertThat(server.requests(Request.POST)).isEqualTo(1);
    }

    private Ticket taken(TicketQueue queue, TicketRequest request) {
        CompletableFuture<Place> taken = queue.take(request).toCompletableFuture();
        time.runUntilIdle();
        return taken.join().ticket();
    }

    @Test
    void session_heartbeatTooLate_hasExpired() {
        Session session = open();
        time.advance(Duration.ofMillis(5999));
        assertThat(session.heartbeat()).isNotNull();
        time.advance(Duration.ofMillis(5999));
        assertThat(server.leftovers()).containsExactly("session " + session.id());
        time.advance(Duration.ofMillis(1));

        CompletableFuture<Void> late = session.heartbeat().toCompletableFuture();
        time.runUntilIdle();

        assertThat(late).isCompletedExceptionally();
        assertThatExceptionOfType(CompletionException.class)
                .isThrownBy(late::join)
                .withCauseInstanceOf(SessionLostException.class);
        assertThat(server.leftovers()).isEmpty();
    }

    @Test
    void cut_openRequests_failExceptTakes() {
        Session session = open();
        CompletableFuture<Void> heartbeat = session.heartbeat().toCompletableFuture();
        CompletableFuture<Place> taken = session.queue("a").take(REQUEST).toCompletableFuture();
        store.cut();
        time.runUntilIdle();

        assertThatExceptionOfType(CompletionException.class)
                .isThrownBy(heartbeat::join)
                .withCauseInstanceOf(LockStoreException.class);
        assertThat(taken).isNotDone();
        store.mend();
        time.runUntilIdle();
        assertThat(taken).isCompleted();
    }

    @Test
    void lock_free_costsOneRoundTripAndHandOversNone() {
        LockClient client = client(LockOptions.builder().retain(true).build());
        DistributedLock lock = client.lock("a");
        int before = server.requests();
        CompletableFuture<LockHandle> first = lock.acquireAsync();
        time.runUntilIdle();
        assertThat(first).isCompleted();
        assertThat(server.requests() - before).isEqualTo(1);
        CompletableFuture<LockHandle> second = lock.acquireAsync();
        first.join().close();
        time.runUntilIdle();

        assertThat(second).isCompleted();
        assertThat(server.requests(Request.TAKE)).isEqualTo(1);
        assertThat(server.requests(Request.REMOVE)).isZero();
        second.join().close();
        time.call(() -> {
            client.close();
            return "closed";
        });
        assertThat(server.leftovers()).isEmpty();
    }

    @Test
    void tryAcquireAsync_timePasses_isEmptyAtThatMoment() {
        LockClient client = client(LockOptions.defaults());
        CompletableFuture<LockHandle> held = client.lock("a").acquireAsync();
        CompletableFuture<Optional<LockHandle>> attempt = client.lock("a").tryAcquireAsync(Duration.ofMinutes(1));
        time.advance(Duration.ofSeconds(59));
        assertThat(attempt).isNotDone();

        time.advance(Duration.ofSeconds(1));

        assertThat(attempt).isCompletedWithValue(Optional.empty());
        held.join().close();
        time.call(() -> {
            client.close();
            return "closed";
        });
        assertThat(server.leftovers()).isEmpty();
        assertThat(time.pending()).isZero();
    }
}
