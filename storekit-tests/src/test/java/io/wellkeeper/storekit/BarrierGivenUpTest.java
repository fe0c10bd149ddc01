package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.wellkeeper.LockClient;
import io.wellkeeper.testkit.InMemoryServer;
import io.wellkeeper.testkit.InMemoryTicketStore;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A party of another client that comes when one has given up, over a store that takes a while to hear of it. */
class BarrierGivenUpTest {

    private final InMemoryServer server = new InMemoryServer();
    private final LockClient client = LockClient.over(new InMemoryTicketStore(server));
    private final LockClient other = LockClient.over(new InMemoryTicketStore(server));
    private final Actor party = new Actor();

    @BeforeEach
    void slowDown() {
        server.delay(Duration.ofMillis(100));
    }

    @AfterEach
    void close() {
        party.close();
        client.close();
        other.close();
        server.close();
    }

    @Test
    void await_timesOut_isNotCountedByWhoComesAfter() {
        assertThatExceptionOfType(TimeoutException.class)
                .isThrownBy(() -> client.barrier("b", 2).await(1, TimeUnit.MILLISECONDS));

        assertOtherIsAlone();
    }

    @Test
    void await_interruptedWhileItWaits_isNotCountedByWhoComesAfter() throws Exception {
        Future<Integer> interrupted = party.start(client.barrier("b", 2)::await);
        Await.until("one waits", () -> other.barrier("b", 2).getNumberWaiting() == 1);

        party.interrupt();

        LockKit.assertInterrupted(interrupted);
        assertOtherIsAlone();
    }

    @Test
    void await_interruptedWhileItComes_isNotCountedByWhoComesAfter() throws Exception {
        Thread thread = party.call(Thread::currentThread);
        CountDownLatch begun = new CountDownLatch(1);
        Future<Integer> interrupted = party.start(() -> {
            begun.countDown();
            return client.barrier("b", 2).await();
        });
        begun.await();
        Await.until("it waits", () -> thread.getState() == Thread.State.WAITING);

        party.interrupt();

        LockKit.assertInterrupted(interrupted);
        assertOtherIsAlone();
    }

    /** What it asks overtakes whatever is still on the way. */
    private void assertOtherIsAlone() {
        server.delay(Duration.ZERO);
        assertThatExceptionOfType(TimeoutException.class)
                .isThrownBy(() -> other.barrier("b", 2).await(0, TimeUnit.SECONDS));
    }
}
