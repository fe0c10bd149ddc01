package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.LeaseClient;
import io.wellkeeper.LeaseHandle;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.Permits;
import io.wellkeeper.testkit.InMemoryLeaseStore;
import io.wellkeeper.testkit.InMemoryServer;
import io.wellkeeper.testkit.InMemoryTicketStore;
import io.wellkeeper.testkit.SimulatedTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A store that has only just been asked for somebody, as others of his client came first, is not called silent when his time is up. */
class JustAskedTest {

    private static final String NAME = "asked";
    private static final int TRIES = 300; // more than ask at a time
    private static final Duration STORE = Duration.ofSeconds(5);
    private static final Duration LIMIT = Duration.ofSeconds(6);
    private static final Duration ONE_WAY = Duration.ofMillis(10);
    private static final Duration A_WHILE = Duration.ofSeconds(1);
    private static final Duration LONG = Duration.ofHours(1);

    private final SimulatedTime time = new SimulatedTime();
    private final InMemoryServer server = new InMemoryServer(time);

    @AfterEach
    void close() {
        server.close();
    }

    private LockClient client() {
        server.delay(ONE_WAY);
        LockClient made = LockClient.over(new InMemoryTicketStore(server), options());
        time.advance(A_WHILE);
        return made;
    }

    private ClientOptions options() {
        return ClientOptions.builder()
                .time(time)
                .storeTimeout(STORE)
                .callbackExecutor(time.executor())
                .build();
    }

    @Test
    void tryAcquireAsync_nextTicketIsAskedForAsTheTimeIsUp_isRefused() {
        LockClient client = client();
        CompletableFuture<LockHandle> held = client.lock(NAME).acquireAsync();
        time.advance(A_WHILE);
        CompletableFuture<LockHandle> other = client().lock(NAME).acquireAsync();
        CompletableFuture<Optional<LockHandle>> timed = client.lock(NAME).tryAcquireAsync(LIMIT);

        time.advance(LIMIT.minus(ONE_WAY));
        held.join().close();
        time.advance(ONE_WAY);

        assertThat(timed).isCompletedWithValue(Optional.empty());
        time.advance(A_WHILE);
        assertThat(other).isCompletedWithValueMatching(LockHandle::isHeld);
    }

    @Test
    void tryAcquireAsync_timeOfManyWhoWantPermitsIsUpAtOnce_areRefused() {
        LockClient client = client();
        CompletableFuture<Permits> held = client.semaphore(NAME, 1).acquireAsync(1);
        time.advance(A_WHILE);
        List<CompletableFuture<Optional<Permits>>> tries = new ArrayList<>();
        for (int i = 0; i < TRIES; i++) {
            tries.add(client.semaphore(NAME, 1).tryAcquireAsync(1, LIMIT));
        }

        time.advance(LIMIT);

        assertThat(held).isCompletedWithValueMatching(LockHandle::isHeld);
        assertThat(tries).allSatisfy(one -> assertThat(one).isCompletedWithValue(Optional.empty()));
        time.advance(A_WHILE);
        assertThat(server.queueLength(NAME)).isEqualTo(1);
    }

    @Test
    void tryAcquireLeaseAsync_timeOfManyIsUpAtOnce_areRefused() {
        server.delay(ONE_WAY);
        LeaseClient client = LeaseClient.over(new InMemoryLeaseStore(server), options());
        CompletableFuture<LeaseHandle> held = client.acquireLeaseAsync(NAME, LONG);
        time.advance(A_WHILE);
        List<CompletableFuture<Optional<LeaseHandle>>> tries = new ArrayList<>();
        for (int i = 0; i < TRIES; i++) {
            tries.add(client.tryAcquireLeaseAsync(NAME, LONG, LIMIT));
        }

        time.advance(LIMIT);

        assertThat(held).isCompletedWithValueMatching(LeaseHandle::isHeld);
        assertThat(tries).allSatisfy(one -> assertThat(one).isCompletedWithValue(Optional.empty()));
    }
}
