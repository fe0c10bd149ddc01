package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.LockClient;
import io.wellkeeper.Registration;
import io.wellkeeper.spi.Session;
import io.wellkeeper.spi.Time;
import io.wellkeeper.testkit.ForwardingTicketStore;
import io.wellkeeper.testkit.InMemoryServer;
import io.wellkeeper.testkit.InMemoryTicketStore;
import io.wellkeeper.testkit.SimulatedTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** A store on a blocking driver, of which each heartbeat takes longer than from one to the next. */
class SlowHeartbeatTest {

    private static final int SLOW = 100;

    private final SimulatedTime time = new SimulatedTime();
    private final List<Integer> depths = new ArrayList<>();
    private Duration taken = Duration.ZERO; // by heartbeats

    /** Otherwise nothing else that is due on the client's timer would ever come to its turn, such as the end of a call. */
    @Test
    void heartbeat_isLateAgainAndAgain_nextOneIsNotSentFromWithinIt() {
        try (InMemoryServer server = new InMemoryServer(time)) {
            ForwardingTicketStore blocking = new ForwardingTicketStore(new InMemoryTicketStore(server)) {
                @Override
                protected Session session(Session sound) {
                    return new ForwardingSession(sound) {
                        @Override
                        public CompletionStage<Void> heartbeat() {
                            if (depths.size() >= SLOW) {
                                return super.heartbeat();
                            }
                            depths.add(Thread.currentThread().getStackTrace().length);
                            taken = taken.plus(heartbeatInterval());
                            return CompletableFuture.completedFuture(null);
                        }
                    };
                }
            };
            ClientOptions options = ClientOptions.builder()
                    .time(new Passing())
                    .closeTimeout(Duration.ZERO)
                    .build();
            try (LockClient client = LockClient.over(blocking, options)) {
                time.advance(Duration.ofSeconds(1));

                assertThat(depths).hasSize(SLOW);
                assertThat(Collections.max(depths)).isLessThan(Collections.min(depths) + SLOW);
                assertThat(client.sessionRemaining()).isPositive();
            }
        }
    }

    /** Goes on by what heartbeats take. */
    private final class Passing implements Time {

        @Override
        public long nanoTime() {
            return time.nanoTime() + taken.toNanos();
        }

        @Override
        public Registration schedule(Duration delay, Runnable task) {
            return time.schedule(delay, task);
        }
    }
}
