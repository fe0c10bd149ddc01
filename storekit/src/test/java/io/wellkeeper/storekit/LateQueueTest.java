package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.DistributedSemaphore;
import io.wellkeeper.LockClient;
import io.wellkeeper.Permits;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketQueue;
import io.wellkeeper.testkit.ForwardingTicketStore;
import io.wellkeeper.testkit.InMemoryServer;
import io.wellkeeper.testkit.InMemoryTicketStore;
import io.wellkeeper.testkit.SimulatedTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The queue that the store shows comes when more is known of it by other ways. */
class LateQueueTest {

    private static final String NAME = "shown-late";
    private static final Duration A_WHILE = Duration.ofSeconds(3);

    private final SimulatedTime time = new SimulatedTime();
    private final InMemoryServer server = new InMemoryServer(time);
    private CompletableFuture<Void> showing = CompletableFuture.completedFuture(null); // before it no answer comes

    @AfterEach
    void close() {
        server.close();
    }

    /** Who is let in by an answer that shows a ticket which was replaced meanwhile is not alone: the milder one stays. */
    @Test
    void acquire_someMoreIsReleasedWhileTheQueueIsRead_permitsThatAreKeptAreCounted() {
        LockClient client = LockClient.over(
                new Late(),
                ClientOptions.builder()
                        .time(time)
                        .callbackExecutor(time.executor())
                        .build());
        DistributedSemaphore semaphore = client.semaphore(NAME, 3);
        Permits three = time.call(() -> semaphore.tryAcquire(3)).orElseThrow();
        CompletableFuture<Permits> one = semaphore.acquireAsync(1);
        CompletableFuture<Permits> two = semaphore.acquireAsync(2);
        time.advance(A_WHILE);

        showing = new CompletableFuture<>();
        three.release(1);
        time.runUntilIdle();
        three.release(1);
        time.runUntilIdle();
        showing.complete(null);
        time.advance(A_WHILE);

        assertThat(one.isDone()).isTrue();
        assertThat(two.isDone()).as("two permits more, of which one is left").isFalse();
        three.release(1);
        time.advance(A_WHILE);
        assertThat(two.isDone()).isTrue();
    }

    private final class Late extends ForwardingTicketStore {

        Late() {
            super(new InMemoryTicketStore(server));
        }

        @Override
        protected TicketQueue queue(TicketQueue sound, String name) {
            return new ForwardingQueue(sound) {
                @Override
                public CompletionStage<List<Ticket>> tickets() {
                    CompletionStage<List<Ticket>> shown = super.tickets();
                    return showing.thenCompose(now -> shown);
                }
            };
        }
    }
}
