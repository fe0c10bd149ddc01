package io.wellkeeper.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.LeaseClient;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockSource;
import io.wellkeeper.spi.Lease;
import io.wellkeeper.spi.LeaseRequest;
import io.wellkeeper.spi.LeaseStore;
import io.wellkeeper.spi.Session;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** When a failed heartbeat, or a failed renewal of a lease, is sent again; by a clock that the test drives. */
class HeartbeatTriesTest {

    private static final Duration T = Duration.ofSeconds(60);
    private static final Duration VALIDITY = T.multipliedBy(2).dividedBy(3); // of a session; less than that of a lease
    private static final String TAKEN = "taken/";
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final SimulatedTime time = new SimulatedTime();
    private final InMemoryServer server = new InMemoryServer(time);
    private final InMemoryTicketStore connection = new InMemoryTicketStore(server);
    private final InMemoryLeaseStore leases = new InMemoryLeaseStore(server);
    private int sent; // heartbeats, or renewals
    private Duration interval = Duration.ZERO; // between two regular heartbeats
    private Duration tryTakes = Duration.ZERO; // of a lock that is taken

    private final class Counting extends ForwardingTicketStore {

        Counting() {
            super(connection);
        }

        @Override
        protected Session session(Session sound) {
            interval = sound.heartbeatInterval();
            return new ForwardingSession(sound) {
                @Override
                public CompletionStage<Void> heartbeat() {
                    sent++;
                    return super.heartbeat();
                }
            };
        }
    }

    private class CountingLeases extends ForwardingLeaseStore {

        CountingLeases(LeaseStore store) {
            super(store);
        }

        @Override
        public CompletionStage<Boolean> renew(Lease lease, Duration ttl) {
            sent++;
            return super.renew(lease, ttl);
        }
    }

    /** Delays messages, so that a regular heartbeat comes after the deadline if those before it have failed. */
    @BeforeEach
    void takeTime() {
        server.delay(() -> Duration.ofMillis(1));
    }

    @AfterEach
    void close() {
        server.close();
    }

    private ClientOptions options() {
        return ClientOptions.builder()
                .sessionTimeout(T)
                .closeTimeout(Duration.ZERO)
                .time(time)
                .callbackExecutor(time.executor())
                .build();
    }

    private LockHandle acquire(LockSource client) {
        CompletableFuture<LockHandle> handle = client.lock("held").acquireAsync();
        time.advance(SECOND);
        return handle.join();
    }

    private void close(LockSource client, LockHandle held) {
        held.close();
        client.close();
        time.advance(SECOND);
        assertThat(time.pending()).isZero();
    }

    /** The connection is back long before the time is over, but shortly after a regular heartbeat has failed. */
    @Test
    void heartbeat_connectionIsBackBeforeTheDeadline_keepsTheLocks() {
        LockClient client = LockClient.over(new Counting(), options());
        LockHandle held = acquire(client);
        connection.cut();
        time.advance(VALIDITY.minus(Duration.ofSeconds(9)));
        connection.mend();

        time.advance(T);

        assertThat(held.isHeld()).isTrue();
        close(client, held);
    }

    /**
     * Failing heartbeats are sent only a few times as often as usual, and as often as usual once they are answered
     * again.
     */
    @Test
    void heartbeat_failsForLong_isSentLessAndLessOften() {
        LockClient client = LockClient.over(new Counting(), options());
        LockHandle held = acquire(client);
        sent = 0;
        time.advance(T.multipliedBy(10));
        int usual = sent;
        connection.cut();
        sent = 0;

        time.advance(T.multipliedBy(10));

        assertThat(sent).isBetween(4 * usual, 10 * usual);
        connection.mend();
        time.advance(T);
        sent = 0;
        time.advance(T.multipliedBy(10));
        assertThat(sent).isBetween(usual - 1, usual + 1);
        assertThat(held.isHeld()).isFalse(); // the store has ended the session meanwhile
        client.close();
        time.advance(SECOND);
        assertThat(time.pending()).isZero();
    }

    /** The store tells that the connection is back, and then a heartbeat is sent at once. */
    @Test
    void heartbeat_acknowledgedBeforeTheNextTry_isNotTriedAgain() {
        LockClient client = LockClient.over(new Counting(), options());
        LockHandle held = acquire(client);
        connection.cut();
        time.advance(VALIDITY.dividedBy(2));
        sent = 0;
        connection.mend();
        time.advance(Duration.ofMillis(10));
        assertThat(sent).isEqualTo(1);

        time.advance(interval);

        assertThat(sent).as("that one, and the regular one").isEqualTo(2);
        close(client, held);
    }

    @Test
    void renewal_connectionIsBackBeforeTheDeadline_keepsTheLock() {
        LeaseClient client = LeaseClient.over(new CountingLeases(leases), options());
        LockHandle held = acquire(client);
        leases.cut();
        time.advance(held.remaining().minus(Duration.ofSeconds(9)));
        leases.mend();

        time.advance(T);

        assertThat(held.isHeld()).isTrue();
        close(client, held);
    }

    /** Each try of the waiters takes some time, as on a busy machine. */
    @Test
    void renewal_thousandWaitForOtherLocks_isNotLate() {
        LeaseClient client = LeaseClient.over(
                new CountingLeases(leases) {
                    @Override
                    public CompletionStage<Optional<Lease>> tryAcquire(LeaseRequest request) {
                        if (request.name().startsWith(TAKEN)) {
                            time.pass(tryTakes);
                            return CompletableFuture.completedFuture(Optional.empty());
                        }
                        return super.tryAcquire(request);
                    }
                },
                options());
        LockHandle held = acquire(client);
        for (int i = 0; i < 1_000; i++) {
            client.lock(TAKEN + i).acquireAsync();
        }
        tryTakes = T.dividedBy(500);

        time.advance(T.multipliedBy(10));

        assertThat(held.isHeld()).isTrue();
        close(client, held);
    }

    @Test
    void renewal_failsForLong_isSentLessAndLessOften() {
        LeaseClient client = LeaseClient.over(new CountingLeases(leases), options());
        LockHandle held = acquire(client);
        leases.cut();

        time.advance(T.multipliedBy(10));

        assertThat(sent).isBetween(8, 20);
        assertThat(held.isHeld()).isFalse();
        leases.mend();
        client.close();
        time.advance(SECOND);
        assertThat(time.pending()).isZero();
    }
}
