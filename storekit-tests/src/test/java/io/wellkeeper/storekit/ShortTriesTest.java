package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.DistributedLock;
import io.wellkeeper.LeaseClient;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.testkit.InMemoryLeaseStore;
import io.wellkeeper.testkit.InMemoryServer;
import io.wellkeeper.testkit.InMemoryTicketStore;
import io.wellkeeper.testkit.Request;
import io.wellkeeper.testkit.SimulatedTime;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Many tries, each for less time than the store takes to answer. */
class ShortTriesTest {

    private static final String NAME = "short";
    private static final int TRIES = 1_000;
    private static final int MOST = 100;
    private static final Duration SHORT = Duration.ofMillis(1);
    private static final Duration A_WHILE = Duration.ofSeconds(3);

    private final SimulatedTime time = new SimulatedTime();
    private final InMemoryServer server = new InMemoryServer(time);
    private final ClientOptions options = ClientOptions.builder()
            .time(time)
            .sessionTimeout(Duration.ofMinutes(10))
            .callbackExecutor(time.executor())
            .build();

    @AfterEach
    void close() {
        server.close();
    }

    @Test
    void tryAcquire_oneAfterTheOtherOverASilentStore_fewTicketsAreAskedFor() {
        try (LockClient client = LockClient.over(new InMemoryTicketStore(server), options)) {
            time.advance(A_WHILE);

            assertFewRequests(client.lock(NAME), Request.TAKE);

            assertThat(server.queueLength(NAME)).isZero();
        }
    }

    @Test
    void tryAcquire_oneAfterTheOtherOverASilentStoreOfLeases_fewAreAskedFor() {
        try (LeaseClient client = LeaseClient.over(new InMemoryLeaseStore(server), options)) {
            assertFewRequests(client.lock(NAME), Request.TRY_ACQUIRE);
        }
    }

    /** Who comes behind them and stays gets the lock as soon as the store answers. */
    private void assertFewRequests(DistributedLock lock, Request kind) {
        server.freeze();
        int before = server.requests(kind);
        for (int i = 0; i < TRIES; i++) {
            Future<Optional<LockHandle>> one = lock.tryAcquireAsync(SHORT);
            time.advance(SHORT);
            assertThat(one).isDone();
        }
        assertThat(server.requests(kind) - before).isBetween(1, MOST);

        CompletableFuture<LockHandle> patient = lock.acquireAsync();
        server.unfreeze();
        time.advance(A_WHILE);

        assertThat(patient).isCompletedWithValueMatching(LockHandle::isHeld);
        patient.join().close();
        time.advance(A_WHILE);
    }
}
