package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockOptions;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketQueue;
import io.wellkeeper.testkit.ForwardingTicketStore;
import io.wellkeeper.testkit.InMemoryServer;
import io.wellkeeper.testkit.InMemoryTicketStore;
import io.wellkeeper.testkit.SimulatedTime;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Only the requests of one thread keep their order. A {@code take} that overtakes another thread's removal sees a ticket
 * that its own client has given back, and of whose departure the store does not tell this client.
 */
class OvertakenRemovalTest {

    private static final String NAME = "overtaken";
    private static final Duration RARE_BEATS = Duration.ofMinutes(10);
    private static final Duration A_WHILE = Duration.ofSeconds(5); // much less than from one heartbeat to the next
    private static final LockOptions OWN_NUMBERS =
            LockOptions.builder().handOvers(0).build();

    private final SimulatedTime time = new SimulatedTime();
    private final InMemoryServer server = new InMemoryServer(time);
    private CompletableFuture<Void> removing = CompletableFuture.completedFuture(null); // before it none arrives

    @AfterEach
    void close() {
        server.close();
    }

    @Test
    void lock_takeOvertakesARemovalOfItsClient_getsIn() {
        assertNextGetsIn(client -> client.lock(NAME, OWN_NUMBERS).acquireAsync());
    }

    @Test
    void writeLock_takeOvertakesARemovalOfItsClient_getsIn() {
        assertNextGetsIn(
                client -> client.readWriteLock(NAME, OWN_NUMBERS).writeLock().acquireAsync());
    }

    @Test
    void acquire_takeOvertakesARemovalOfItsClient_getsIn() {
        assertNextGetsIn(client -> client.semaphore(NAME, 2).acquireAsync(2));
    }

    private void assertNextGetsIn(Function<LockClient, ? extends CompletableFuture<? extends LockHandle>> acquire) {
        LockClient client = LockClient.over(
                new Overtaking(),
                ClientOptions.builder()
                        .time(time)
                        .callbackExecutor(time.executor())
                        .sessionTimeout(RARE_BEATS)
                        .build());
        CompletableFuture<? extends LockHandle> before = acquire.apply(client);
        time.advance(A_WHILE);
        removing = new CompletableFuture<>();
        before.join().close();
        CompletableFuture<? extends LockHandle> next = acquire.apply(client);
        time.advance(A_WHILE);
        assertThat(server.queueLength(NAME)).isEqualTo(2);

        removing.complete(null);
        time.advance(A_WHILE);

        assertThat(server.queueLength(NAME)).isOne();
        assertThat(next.isDone()).isTrue();
        assertThat(next.join().isHeld()).isTrue();
    }

    private final class Overtaking extends ForwardingTicketStore {

        Overtaking() {
            super(new InMemoryTicketStore(server));
        }

        @Override
        protected TicketQueue queue(TicketQueue sound, String name) {
            return new ForwardingQueue(sound) {
                @Override
                public CompletionStage<Boolean> remove(Ticket ticket) {
                    return removing.thenCompose(now -> super.remove(ticket));
                }
            };
        }
    }
}
