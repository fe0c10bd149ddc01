package io.wellkeeper.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.Registration;
import io.wellkeeper.spi.Time;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A timed try ends also if its time was over before its alarm was set. */
class DeadlineTest {

    private static final String NAME = "deadline";
    private static final Duration PATIENCE = Duration.ofSeconds(3);

    private final SimulatedTime time = new SimulatedTime();

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
}
