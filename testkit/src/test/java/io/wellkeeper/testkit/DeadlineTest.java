package io.wellkeeper.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.DistributedLock;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.Registration;
import io.wellkeeper.spi.Time;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A timed try ends in time also if its thread was kept from setting its alarm. */
class DeadlineTest {

    private static final String NAME = "deadline";
    private static final Duration PATIENCE = Duration.ofSeconds(3);
    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final SimulatedTime time = new SimulatedTime();
    private volatile boolean paused; // the next time that somebody looks at the clock

    @Test
    void tryAcquireAsync_timeIsOverBeforeTheAlarmIsSet_isRefused() throws Exception {
        try (InMemoryServer server = new InMemoryServer();
                LockClient holding = LockClient.over(new InMemoryTicketStore(server));
                LockHandle held = holding.lock(NAME).acquire();
                LockClient waiting = LockClient.over(
                        new InMemoryTicketStore(server),
                        ClientOptions.builder().time(new LateAlarms()).build())) {
            CompletableFuture<Optional<LockHandle>> attempt = waiting.lock(NAME).tryAcquireAsync(PATIENCE);

            assertThat(Await.result(attempt)).isEmpty();
            assertThat(held.isHeld()).isTrue();
        }
    }

    @Test
    void tryAcquireAsync_timePassesBeforeTheAlarmIsSet_isRefusedInTime() throws Exception {
        try (InMemoryServer server = new InMemoryServer();
                LockClient holding = LockClient.over(new InMemoryTicketStore(server));
                LockHandle held = holding.lock(NAME).acquire();
                LockClient waiting = LockClient.over(
                        new InMemoryTicketStore(server),
                        ClientOptions.builder().time(new Pause()).build())) {
            DistributedLock lock = waiting.lock(NAME);
            paused = true;
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

    /** The thread is kept from its work right after it has looked at the clock. */
    private final class Pause implements Time {

        @Override
        public long nanoTime() {
            long now = time.nanoTime();
            if (paused) {
                paused = false;
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
