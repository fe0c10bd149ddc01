package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockStoreException;
import io.wellkeeper.spi.Session;
import io.wellkeeper.spi.SessionListener;
import io.wellkeeper.spi.SessionOptions;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketQueue;
import io.wellkeeper.testkit.ForwardingTicketStore;
import io.wellkeeper.testkit.InMemoryServer;
import io.wellkeeper.testkit.InMemoryTicketStore;
import io.wellkeeper.testkit.SimulatedTime;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** A ticket is given back as soon as the store can be reached again. */
class DebtTest {

    private static final String NAME = "owed";

    @Test
    void close_storeFails_ticketIsGivenBackAtOnceWhenTheSessionIsSaidToLive() {
        SimulatedTime time = new SimulatedTime();
        AtomicBoolean failing = new AtomicBoolean();
        AtomicReference<SessionListener> told = new AtomicReference<>();
        try (InMemoryServer server = new InMemoryServer(time)) {
            LockClient client = LockClient.over(
                    new ForwardingTicketStore(new InMemoryTicketStore(server)) {
                        @Override
                        public CompletionStage<Session> open(SessionOptions options, SessionListener listener) {
                            told.set(listener);
                            return super.open(options, listener);
                        }

                        @Override
                        protected TicketQueue queue(TicketQueue sound, String name) {
                            return new ForwardingQueue(sound) {
                                @Override
                                public CompletionStage<Boolean> remove(Ticket ticket) {
                                    return failing.get()
                                            ? CompletableFuture.failedFuture(new LockStoreException("disconnected"))
                                            : super.remove(ticket);
                                }
                            };
                        }
                    },
                    ClientOptions.builder()
                            .time(time)
                            .callbackExecutor(time.executor())
                            .build());
            CompletableFuture<LockHandle> acquired = client.lock(NAME).acquireAsync();
            time.runUntilIdle();
            failing.set(true);
            acquired.join().close();
            time.advance(Duration.ofSeconds(5)); // by now it is tried once in a second
            failing.set(false);

            told.get().live();
            time.runUntilIdle();

            assertThat(server.queueLength(NAME)).isZero();
        }
    }
}
