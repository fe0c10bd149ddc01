package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockOptions;
import io.wellkeeper.LockStoreException;
import io.wellkeeper.Participant;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketQueue;
import io.wellkeeper.spi.TicketStore;
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

/** What the store has failed to write on a ticket once is written by the next heartbeat: the search for deadlocks needs it. */
class LostDescriptionTest {

    private static final String NAME = "described";
    private static final Duration SESSION = Duration.ofSeconds(6);

    private final SimulatedTime time = new SimulatedTime();
    private final InMemoryServer server = new InMemoryServer(time);
    private final LockClient client = client(new Failing());
    private final LockClient other = client(new InMemoryTicketStore(server));
    private int attempts;

    private LockClient client(TicketStore store) {
        return LockClient.over(
                store,
                ClientOptions.builder()
                        .time(time)
                        .callbackExecutor(time.executor())
                        .sessionTimeout(SESSION)
                        .closeTimeout(Duration.ZERO)
                        .build());
    }

    @AfterEach
    void close() {
        client.close();
        other.close();
        server.close();
    }

    private CompletableFuture<LockHandle> acquire(LockClient by, String reason) {
        CompletableFuture<LockHandle> acquired =
                by.lock(NAME, LockOptions.builder().reason(reason).build()).acquireAsync();
        time.runUntilIdle();
        return acquired;
    }

    private List<String> reasons(List<Participant> some) {
        return some.stream().map(Participant::reason).toList();
    }

    @Test
    void describe_ofAHolderFailsOnce_isWrittenByTheNextHeartbeat() {
        CompletableFuture<LockHandle> first = acquire(client, "first");
        acquire(client, "second");
        first.join().close();

        time.advance(SESSION);

        assertThat(reasons(time.call(() -> other.admin().inspect(NAME)).holders()))
                .containsExactly("second");
        assertThat(attempts).isEqualTo(2);
    }

    @Test
    void describe_ofAWaiterFailsOnce_isWrittenByTheNextHeartbeat() {
        acquire(other, "holder");
        CompletableFuture<LockHandle> first = acquire(client, "first");
        acquire(client, "second");
        first.cancel(false);

        time.advance(SESSION);

        assertThat(reasons(time.call(() -> other.admin().inspect(NAME)).waiters()))
                .containsExactly("second");
        assertThat(attempts).isEqualTo(2);
    }

    private final class Failing extends ForwardingTicketStore {

        Failing() {
            super(new InMemoryTicketStore(server));
        }

        @Override
        protected TicketQueue queue(TicketQueue sound, String name) {
            return new ForwardingQueue(sound) {
                @Override
                public CompletionStage<Void> describe(Ticket mine, String metadata) {
                    return attempts++ == 0
                            ? CompletableFuture.failedFuture(new LockStoreException("the connection was lost"))
                            : super.describe(mine, metadata);
                }
            };
        }
    }
}
