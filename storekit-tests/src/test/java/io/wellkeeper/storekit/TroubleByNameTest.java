package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockListener;
import io.wellkeeper.LockStoreException;
import io.wellkeeper.spi.Place;
import io.wellkeeper.spi.StoreRefusalException;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketQueue;
import io.wellkeeper.spi.TicketRequest;
import io.wellkeeper.testkit.ForwardingTicketStore;
import io.wellkeeper.testkit.InMemoryServer;
import io.wellkeeper.testkit.InMemoryTicketStore;
import io.wellkeeper.testkit.SimulatedTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a store says of each lock in other words, as ZooKeeper does by their paths, is told once for each, however often it is asked. */
class TroubleByNameTest {

    private final SimulatedTime time = new SimulatedTime();
    private final InMemoryServer server = new InMemoryServer(time);
    private final List<String> told = new ArrayList<>();
    private boolean takes = true;
    private final LockClient client = LockClient.over(
            new Troubled(),
            ClientOptions.builder()
                    .time(time)
                    .callbackExecutor(time.executor())
                    .listener(new LockListener() {
                        @Override
                        public void storeTrouble(String store, String problem) {
                            told.add(problem);
                        }
                    })
                    .build());

    @AfterEach
    void close() {
        server.close();
    }

    private List<CompletableFuture<LockHandle>> acquireBoth() {
        List<CompletableFuture<LockHandle>> both = Stream.of("a", "b")
                .map(name -> client.lock(name).acquireAsync())
                .toList();
        time.runUntilIdle();
        return both;
    }

    @Test
    void close_storeRefusesToRemoveTickets_eachIsToldOnce() {
        acquireBoth().forEach(handle -> handle.join().close());

        time.advance(Duration.ofMinutes(1));

        assertThat(told).containsExactlyInAnyOrder("no right to remove a", "no right to remove b");
    }

    @Test
    void acquire_storeGivesNoTickets_eachIsToldOnce() {
        takes = false;
        List<CompletableFuture<LockHandle>> both = acquireBoth();

        time.advance(Duration.ofMinutes(1));

        assertThat(told).containsExactlyInAnyOrder("no ticket of a now", "no ticket of b now");
        takes = true;
        time.advance(Duration.ofSeconds(5));
        assertThat(both).allMatch(CompletableFuture::isDone);
    }

    private final class Troubled extends ForwardingTicketStore {

        Troubled() {
            super(new InMemoryTicketStore(server));
        }

        @Override
        protected TicketQueue queue(TicketQueue sound, String name) {
            return new ForwardingQueue(sound) {
                @Override
                public CompletionStage<Place> take(TicketRequest request) {
                    return takes
                            ? super.take(request)
                            : CompletableFuture.failedFuture(new LockStoreException("no ticket of " + name + " now"));
                }

                @Override
                public CompletionStage<Boolean> remove(Ticket ticket) {
                    return CompletableFuture.failedFuture(new StoreRefusalException("no right to remove " + name));
                }
            };
        }
    }
}
