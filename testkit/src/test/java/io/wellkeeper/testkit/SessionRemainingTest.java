package io.wellkeeper.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.LockClient;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** For how long a client's session is known to live. */
class SessionRemainingTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private final SimulatedTime time = new SimulatedTime();
    private final InMemoryServer server = new InMemoryServer(time);
    private final InMemoryTicketStore store = new InMemoryTicketStore(server);
    private final LockClient client = LockClient.over(
            store,
            ClientOptions.builder()
                    .sessionTimeout(TIMEOUT)
                    .time(time)
                    .callbackExecutor(time.executor())
                    .build());

    @AfterEach
    void close() {
        client.close();
        server.close();
    }

    @Test
    void sessionRemaining_heartbeatsArriveOrNot_isPushedAwayOrRunsOut() {
        assertThat(client.sessionRemaining()).as("before the first session").isZero();
        time.runUntilIdle();
        Duration whole = client.sessionRemaining();
        assertThat(whole).isPositive().isLessThanOrEqualTo(TIMEOUT);

        time.advance(TIMEOUT.multipliedBy(3));
        assertThat(client.sessionRemaining()).isPositive();

        store.cut();
        Duration left = client.sessionRemaining();
        time.advance(Duration.ofSeconds(1));
        assertThat(client.sessionRemaining()).isEqualTo(left.minusSeconds(1));
        time.advance(TIMEOUT);
        assertThat(client.sessionRemaining()).isZero();

        store.mend();
        time.advance(Duration.ofSeconds(1));
        assertThat(client.sessionRemaining()).as("with another session").isPositive();

        client.close();
        assertThat(client.sessionRemaining()).as("of a closed client").isZero();
    }
}
