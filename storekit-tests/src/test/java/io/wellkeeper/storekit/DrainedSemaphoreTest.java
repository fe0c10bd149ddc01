package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.DistributedSemaphore;
import io.wellkeeper.LockClient;
import io.wellkeeper.Permits;
import io.wellkeeper.spi.Place;
import io.wellkeeper.spi.TicketQueue;
import io.wellkeeper.spi.TicketRequest;
import io.wellkeeper.testkit.ForwardingTicketStore;
import io.wellkeeper.testkit.InMemoryServer;
import io.wellkeeper.testkit.InMemoryTicketStore;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** A semaphore that another client has resized is drained of all that is there. */
class DrainedSemaphoreTest {

    private static final String NAME = "drained";

    @Test
    void drainPermits_anotherHasMadeMore_takesThemAll() throws Exception {
        try (InMemoryServer server = new InMemoryServer();
                LockClient other = LockClient.over(new InMemoryTicketStore(server));
                LockClient client = LockClient.over(new InMemoryTicketStore(server))) {
            DistributedSemaphore semaphore = client.semaphore(NAME, 3);
            Permits one = semaphore.acquire();
            other.semaphore(NAME, 3).resize(10);

            assertThat(semaphore.drainPermits().map(Permits::count)).contains(9);
            one.close();
        }
    }

    @Test
    void drainPermits_anotherMakesFewerMeanwhile_takesWhatIsLeft() throws Exception {
        AtomicReference<Runnable> beforeTake = new AtomicReference<>(() -> {});
        try (InMemoryServer server = new InMemoryServer();
                LockClient other = LockClient.over(new InMemoryTicketStore(server));
                LockClient client = LockClient.over(new ForwardingTicketStore(new InMemoryTicketStore(server)) {
                    @Override
                    protected TicketQueue queue(TicketQueue sound, String name) {
                        return new ForwardingQueue(sound) {
                            @Override
                            public CompletionStage<Place> take(TicketRequest request) {
                                beforeTake.getAndSet(() -> {}).run();
                                return super.take(request);
                            }
                        };
                    }
                })) {
            DistributedSemaphore semaphore = client.semaphore(NAME, 5);
            Permits one = semaphore.acquire();
            beforeTake.set(() -> other.semaphore(NAME, 5).resize(3));

            assertThat(semaphore.drainPermits().map(Permits::count)).contains(2);
            one.close();
        }
    }
}
