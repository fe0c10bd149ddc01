package io.wellkeeper.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.LockClient;
import io.wellkeeper.LockStoreException;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class BreakTest {

    private static final String NAME = "broken";

    private final InMemoryServer server = new InMemoryServer();
    private final AtomicInteger removals = new AtomicInteger();

    @Test
    void breakLock_ownLockAndTheRemovalFails_isRemovedAllTheSame() throws Exception {
        try (LockClient client = LockClient.over(new FailingRemovals())) {
            client.lock(NAME).lock();

            assertThat(client.breakLock(NAME, "why")).hasSize(1);

            assertThat(removals).hasValue(3);
            assertThat(server.queueLength(NAME)).isZero();
        } finally {
            server.close();
        }
    }

    /** The first two of them fail. */
    private final class FailingRemovals extends ForwardingTicketStore {

        FailingRemovals() {
            super(new InMemoryTicketStore(server));
        }

        @Override
        TicketQueue queue(TicketQueue sound, String name) {
            return new ForwardingQueue(sound) {
                @Override
                public CompletionStage<Boolean> remove(Ticket ticket) {
                    return removals.incrementAndGet() < 3
                            ? CompletableFuture.failedFuture(new LockStoreException("no answer"))
                            : super.remove(ticket);
                }
            };
        }
    }
}
