package io.wellkeeper.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.wellkeeper.DistributedBarrier;
import io.wellkeeper.DistributedLatch;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockClientClosedException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How waits for a latch or at a barrier end when the client is closed, or the store has trouble. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class QueueWaitTest {

    private static final String NAME = "waited";
    private static final Duration SHORT = Duration.ofMillis(50);

    private final InMemoryServer server = new InMemoryServer();
    private final InMemoryTicketStore connection = new InMemoryTicketStore(server);

    @AfterEach
    void close() {
        server.close();
    }

    @Test
    void await_timedOnAClosedClient_saysSo() {
        LockClient client = LockClient.over(connection);
        DistributedLatch latch = client.latch(NAME);
        DistributedBarrier barrier = client.barrier(NAME, 2);
        client.close();

        assertThat(latch.awaitAsync(SHORT)).failsWithin(Await.patience());
        assertThat(barrier.awaitAsync(SHORT)).failsWithin(Await.patience());
        assertThatExceptionOfType(LockClientClosedException.class)
                .isThrownBy(() -> latch.await(SHORT.toMillis(), TimeUnit.MILLISECONDS));
        assertThatExceptionOfType(LockClientClosedException.class)
                .isThrownBy(() -> barrier.await(SHORT.toMillis(), TimeUnit.MILLISECONDS));
    }
}
