package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.LockClient;
import io.wellkeeper.MultiLockHandle;
import io.wellkeeper.spi.Place;
import io.wellkeeper.spi.TicketQueue;
import io.wellkeeper.spi.TicketRequest;
import io.wellkeeper.testkit.ForwardingTicketStore;
import io.wellkeeper.testkit.InMemoryServer;
import io.wellkeeper.testkit.InMemoryTicketStore;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Two try the same locks at the same moment, and the request of one for the first of them is late. */
class MultiLockTryTest {

    private final InMemoryServer server = new InMemoryServer();
    private final CompletableFuture<Void> late = new CompletableFuture<>();
    private final LockClient client = LockClient.over(new InMemoryTicketStore(server));
    private final LockClient other = LockClient.over(new LateForTheFirst());

    @AfterEach
    void close() {
        client.close();
        other.close();
        server.close();
    }

    @Test
    void tryAcquire_whileAnotherHasNotTheFirstYet_isGiven() {
        CompletableFuture<Optional<MultiLockHandle>> rival =
                other.all("a", "b", "c").tryAcquireAsync(Duration.ZERO);

        Optional<MultiLockHandle> mine = client.all("a", "b", "c").tryAcquire();

        assertThat(mine).isPresent();
        late.complete(null);
        assertThat(Await.get(rival)).isEmpty();
        mine.orElseThrow().close();
    }

    private final class LateForTheFirst extends ForwardingTicketStore {

        LateForTheFirst() {
            super(new InMemoryTicketStore(server));
        }

        @Override
        protected TicketQueue queue(TicketQueue sound, String name) {
            return new ForwardingQueue(sound) {
                @Override
                public CompletionStage<Place> take(TicketRequest request) {
                    return name.equals("a") ? late.thenCompose(now -> super.take(request)) : super.take(request);
                }
            };
        }
    }
}
