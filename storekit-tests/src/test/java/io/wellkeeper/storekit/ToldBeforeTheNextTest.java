package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockStoreException;
import io.wellkeeper.spi.Session;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketQueue;
import io.wellkeeper.testkit.ForwardingTicketStore;
import io.wellkeeper.testkit.InMemoryServer;
import io.wellkeeper.testkit.InMemoryTicketStore;
import io.wellkeeper.testkit.SimulatedTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Where the store takes no heartbeat any more, but a ticket back, the next one may be in as soon as that is sent. */
class ToldBeforeTheNextTest {

    private static final String NAME = "told";
    private static final Duration SESSION = Duration.ofSeconds(8);

    private final SimulatedTime time = new SimulatedTime();
    private final InMemoryServer server = new InMemoryServer(time);
    private final List<String> order = new ArrayList<>();
    private boolean beatsFail;
    private final LockClient client = LockClient.over(
            new WithoutHeartbeats(),
            ClientOptions.builder()
                    .time(time)
                    .sessionTimeout(SESSION)
                    .callbackExecutor(task -> {
                        order.add("callback");
                        time.executor().execute(task);
                    })
                    .closeTimeout(Duration.ZERO)
                    .build());

    @AfterEach
    void close() {
        client.close();
        server.close();
    }

    /** The thread by which that is noticed may stand still between the two. */
    @Test
    void onLost_timeIsUp_isHandedInBeforeTheTicketIsGivenBack() {
        CompletableFuture<LockHandle> acquired = client.lock(NAME).acquireAsync();
        time.runUntilIdle();
        acquired.join().onLost(() -> order.add("lost"));
        order.clear();

        beatsFail = true;
        time.advance(SESSION);

        assertThat(order).startsWith("callback", "given back").contains("lost");
    }

    private final class WithoutHeartbeats extends ForwardingTicketStore {

        WithoutHeartbeats() {
            super(new InMemoryTicketStore(server));
        }

        @Override
        protected Session session(Session sound) {
            return new ForwardingSession(sound) {
                @Override
                public CompletionStage<Void> heartbeat() {
                    return beatsFail
                            ? CompletableFuture.failedFuture(new LockStoreException("not now"))
                            : super.heartbeat();
                }
            };
        }

        @Override
        protected TicketQueue queue(TicketQueue sound, String name) {
            return new ForwardingQueue(sound) {
                @Override
                public CompletionStage<Boolean> remove(Ticket ticket) {
                    order.add("given back");
                    return super.remove(ticket);
                }
            };
        }
    }
}
