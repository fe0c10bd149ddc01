package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.DistributedSemaphore;
import io.wellkeeper.LeaseClient;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockSource;
import io.wellkeeper.Permits;
import io.wellkeeper.storekit.Troubles.Kind;
import io.wellkeeper.testkit.InMemoryLeaseStore;
import io.wellkeeper.testkit.InMemoryServer;
import io.wellkeeper.testkit.InMemoryTicketStore;
import io.wellkeeper.testkit.Request;
import io.wellkeeper.testkit.SimulatedTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How often a store is asked, and how often its trouble is told, by a clock that the test drives. */
class TroublePausesTest {

    private static final String NAME = "troubled";

    private final SimulatedTime time = new SimulatedTime();
    private final InMemoryServer server = new InMemoryServer(time);
    private final Troubles troubles = new Troubles();

    @AfterEach
    void close() {
        server.close();
    }

    private ClientOptions options() {
        return troubles.options().time(time).callbackExecutor(time.executor()).build();
    }

    private LockClient client(InMemoryTicketStore connection) {
        LockClient client = LockClient.over(troubles.over(connection), options());
        time.runUntilIdle();
        return client;
    }

    private LeaseClient simpleClient() {
        return LeaseClient.over(troubles.over(new InMemoryLeaseStore(server)), options());
    }

    private <T extends AutoCloseable> void close(T closed) {
        time.call(() -> {
            closed.close();
            return closed;
        });
    }

    private CompletableFuture<LockHandle> acquire(LockSource client, String name) {
        CompletableFuture<LockHandle> handle = client.lock(name).acquireAsync();
        time.runUntilIdle();
        return handle;
    }

    private void expectOneWarning() {
        assertThat(troubles.warnings())
                .filteredOn(warning -> warning.contains(Troubles.WORDS))
                .hasSize(1);
    }

    @Test
    void acquire_storeRefusesSessions_isAskedByNextCallAndNotBefore() {
        InMemoryTicketStore connection = new InMemoryTicketStore(server);
        LockClient client = client(connection);
        troubles.opening(Kind.REFUSAL);
        connection.expireSessions();
        time.runUntilIdle();
        int asked = troubles.opened();

        time.advance(Duration.ofMinutes(1));
        assertThat(troubles.opened()).isEqualTo(asked);
        assertThat(time.pending()).isZero();
        assertThat(acquire(client, NAME)).isCompletedExceptionally();
        assertThat(troubles.opened()).isEqualTo(asked + 1);
        expectOneWarning();

        troubles.opening(null);
        assertThat(acquire(client, NAME)).isCompletedWithValueMatching(LockHandle::isHeld);
        close(client);
    }

    @Test
    void acquire_storeRefusesLeases_isAskedByNextCallAndNotBefore() {
        LeaseClient client = simpleClient();
        troubles.taking(Kind.REFUSAL);
        assertThat(acquire(client, NAME)).isCompletedExceptionally();

        time.advance(Duration.ofMinutes(1));
        assertThat(troubles.taken()).isEqualTo(1);
        assertThat(time.pending()).isZero();

        troubles.taking(null);
        assertThat(acquire(client, NAME)).isCompletedWithValueMatching(LockHandle::isHeld);
        close(client);
    }

    @Test
    void acquire_noSessionForAWhile_waitsWithOneWarningAndGrowingPauses() {
        InMemoryTicketStore connection = new InMemoryTicketStore(server);
        LockClient client = client(connection);
        int asked = troubles.opened();
        troubles.opening(Kind.PASSING);
        connection.expireSessions();
        CompletableFuture<LockHandle> waiting = acquire(client, NAME);

        time.advance(Duration.ofMinutes(1));
        assertThat(waiting).isNotDone();
        assertThat(troubles.opened() - asked).isBetween(110, 245);
        expectOneWarning();

        troubles.opening(null);
        time.advance(Duration.ofSeconds(2));
        assertThat(waiting).isCompletedWithValueMatching(LockHandle::isHeld);
        close(client);
    }

    @Test
    void acquire_noLeaseForAWhile_waitsWithOneWarningAndGrowingPauses() {
        LeaseClient client = simpleClient();
        troubles.taking(Kind.PASSING);
        CompletableFuture<LockHandle> waiting = acquire(client, NAME);
        CompletableFuture<LockHandle> other = acquire(client, NAME + 2);

        time.advance(Duration.ofMinutes(1));
        assertThat(waiting).isNotDone();
        assertThat(troubles.taken()).isBetween(2 * 60, 2 * 125);
        expectOneWarning();

        troubles.taking(null);
        time.advance(Duration.ofSeconds(1));
        assertThat(waiting).isCompletedWithValueMatching(LockHandle::isHeld);
        assertThat(other).isCompletedWithValueMatching(LockHandle::isHeld);
        close(client);
    }

    @Test
    void acquire_noLeaseForAWhileOfOneOfManyLocks_isToldOnce() {
        LeaseClient client = simpleClient();
        troubles.taking(Kind.PASSING);
        CompletableFuture<LockHandle> waiting = acquire(client, NAME);

        for (int i = 0; i < 5; i++) {
            troubles.taking(null);
            close(acquire(client, NAME + 2).join());
            troubles.taking(Kind.PASSING);
            time.advance(Duration.ofSeconds(2));
        }

        assertThat(waiting).isNotDone();
        expectOneWarning();
        troubles.taking(null);
        time.advance(Duration.ofSeconds(1));
        assertThat(waiting).isCompletedWithValueMatching(LockHandle::isHeld);
        close(client);
    }

    /** It goes on showing the queue. */
    @Test
    void acquire_noNoticeForAWhile_waitsWithOneWarningAndGrowingPauses() {
        LockClient client = client(new InMemoryTicketStore(server));
        CompletableFuture<Permits> held = client.semaphore(NAME, 1).acquireAsync(1);
        CompletableFuture<Permits> waiting = client.semaphore(NAME, 1).acquireAsync(1);
        time.runUntilIdle();
        int asked = server.requests(Request.TICKETS);
        troubles.readingNotices(Kind.PASSING);
        server.wakeForNothing();

        time.advance(Duration.ofMinutes(1));
        assertThat(server.requests(Request.TICKETS) - asked).isBetween(35, 55);
        expectOneWarning();

        troubles.readingNotices(null);
        close(held.join());
        time.advance(Duration.ofSeconds(2));
        assertThat(waiting).isCompletedWithValueMatching(Permits::isHeld);
        close(client);
    }

    /** Most of them share an answer that shows the queue, and not the notice. */
    @Test
    void acquire_noticeIsRefusedToManyWhoWait_allAreToldAtOnce() {
        InMemoryTicketStore connection = new InMemoryTicketStore(server);
        LockClient client = client(connection);
        DistributedSemaphore semaphore = client.semaphore(NAME, 1);
        CompletableFuture<Permits> held = semaphore.acquireAsync(1);
        List<CompletableFuture<Permits>> waiting =
                Stream.generate(() -> semaphore.acquireAsync(1)).limit(50).toList();
        time.runUntilIdle();
        troubles.readingNotices(Kind.REFUSAL);

        connection.cut();
        connection.mend();
        time.runUntilIdle();

        assertThat(waiting).allMatch(CompletableFuture::isCompletedExceptionally);
        troubles.readingNotices(null);
        close(held.join());
        close(client);
    }

    @Test
    void close_storeRefusesReleases_isAskedWithGrowingPausesUntilItKeepsTheLeasesNoLongerAndToldOnce() {
        LeaseClient client = simpleClient();
        List<CompletableFuture<LockHandle>> held = List.of(acquire(client, NAME), acquire(client, NAME + 2));
        troubles.removing(Kind.REFUSAL);
        held.forEach(handle -> close(handle.join()));

        time.advance(options().sessionTimeout().multipliedBy(2).plusSeconds(3));
        assertThat(troubles.released()).isBetween(2 * 15, 2 * 45);
        expectOneWarning();
        assertThat(time.pending()).isZero();
        close(client);
    }

    @Test
    void close_storeRefusesToReleaseOneOfManyLeases_isToldOnce() {
        LeaseClient client = simpleClient();
        CompletableFuture<LockHandle> held = acquire(client, NAME);
        troubles.removing(Kind.REFUSAL);
        close(held.join());

        for (int i = 0; i < 5; i++) {
            troubles.removing(null);
            close(acquire(client, NAME + 2).join());
            troubles.removing(Kind.REFUSAL);
            time.advance(Duration.ofSeconds(2));
        }

        expectOneWarning();
        troubles.removing(null);
        close(client);
    }

    @Test
    void close_storeCannotReleaseForAWhile_isReleasedSoonAfter() {
        LeaseClient client = simpleClient();
        CompletableFuture<LockHandle> held = acquire(client, NAME);
        troubles.removing(Kind.PASSING);
        close(held.join());
        time.advance(Duration.ofSeconds(3));
        assertThat(troubles.released()).isBetween(3, 10);

        troubles.removing(null);
        time.advance(Duration.ofSeconds(2));

        assertThat(acquire(client, NAME)).isCompletedWithValueMatching(LockHandle::isHeld);
        close(client);
    }
}
