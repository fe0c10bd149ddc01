package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.DistributedLock;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.Registration;
import io.wellkeeper.spi.Time;
import io.wellkeeper.testkit.InMemoryServer;
import io.wellkeeper.testkit.InMemoryTicketStore;
import io.wellkeeper.testkit.SimulatedTime;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A timed try ends in time also if its thread was kept from setting its alarm. */
class DeadlineTest {

    private static final String NAME = "deadline";
    private static final Duration PATIENCE = Duration.ofSeconds(3);
    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final SimulatedTime time = new SimulatedTime();
    private final InMemoryServer server = new InMemoryServer();
    private final LockClient holding = LockClient.over(new InMemoryTicketStore(server));
    private LockHandle held;

    @BeforeEach
    void hold() throws InterruptedException {
        held = holding.lock(NAME).acquire();
    }

    @AfterEach
    void close() {
        held.close();
        holding.close();
        server.close();
    }

    private LockClient waiting(Time late) {
        return LockClient.over(
                new InMemoryTicketStore(server),
                ClientOptions.builder().time(late).build());
    }

    @Test
    void tryAcquireAsync_timeIsOverBeforeTheAlarmIsSet_isRefused() throws Exception {
        try (LockClient waiting = waiting(new LateAlarms())) {
            CompletableFuture<Optional<LockHandle>> attempt = waiting.lock(NAME).tryAcquireAsync(PATIENCE);

            assertThat(Await.result(attempt)).isEmpty();
            assertThat(held.isHeld()).isTrue();
        }
    }

    @Test
    void tryAcquireAsync_timePassesBeforeTheAlarmIsSet_isRefusedInTime() throws Exception {
        Pause pause = new Pause();
        try (LockClient waiting = waiting(pause)) {
            DistributedLock lock = waiting.lock(NAME);
            pause.next = Thread.currentThread();
            CompletableFuture<Optional<LockHandle>> attempt = lock.tryAcquireAsync(PATIENCE);
            assertThat(attempt).isNotDone();

            time.advance(PATIENCE.minus(PAUSE));

            assertThat(Await.result(attempt)).isEmpty();
            assertThat(held.isHeld()).isTrue();
        }
    }

    /** The time that a try is given passes before its alarm is set. */
    private final class LateAlarms implements Time {

        @Override
        public long nanoTime() {
            return time.nanoTime();
        }

        @Override
        public Registration schedule(Duration delay, Runnable task) {
            if (delay.equals(PATIENCE)) {
                time.advance(PATIENCE);
            }
            return time.schedule(delay, task);
        }
    }

    /** A thread is kept from its work right after it has looked at the clock. */
    private final class Pause implements Time {

        private volatile @Nullable Thread next; // who is kept from it when he looks

        @Override
        public long nanoTime() {
            long now = time.nanoTime();
            if (Thread.currentThread().equals(next)) {
                next = null;
                time.advance(PAUSE);
            }
            return now;
        }

        @Override
        public Registration schedule(Duration delay, Runnable task) {
            return time.schedule(delay, task);
        }
    }
}
