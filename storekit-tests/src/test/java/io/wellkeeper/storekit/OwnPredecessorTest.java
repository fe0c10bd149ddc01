package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.DistributedLock;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockOptions;
import io.wellkeeper.Permits;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketQueue;
import io.wellkeeper.testkit.ForwardingTicketStore;
import io.wellkeeper.testkit.InMemoryServer;
import io.wellkeeper.testkit.InMemoryTicketStore;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Waiters of one client learn from each other who is ahead no more, without asking the store. */
class OwnPredecessorTest {

    private static final String NAME = "family";

    private final InMemoryServer server = new InMemoryServer();
    private final LockClient others = client(new ForwardingTicketStore(new InMemoryTicketStore(server)));
    private final LockClient own = client(new Unanswered());
    private int queued;

    @AfterEach
    void close() {
        others.close();
        own.close();
        server.close();
    }

    @Test
    void acquire_ownPredecessorGivesBack_entersWithoutAQuestion() throws Exception {
        passInTurn(others, others, own, own);
    }

    @Test
    void acquire_ownGaveBackBeforeThePredecessor_entersWithoutAQuestion() throws Exception {
        passInTurn(others, others, own, others, own);
    }

    /** It knows that it has not left some of them behind. */
    @Test
    void acquire_ownPredecessorGivesSeveralPermitsBack_entersWithoutAQuestion() throws Exception {
        others.semaphore(NAME, 3).acquire(1); // so that how many there are is known
        Permits first = own.semaphore(NAME, 3).acquire(2);
        CompletableFuture<Permits> second = own.semaphore(NAME, 3).acquireAsync(2);
        awaitQueue(3);

        first.close();

        second.get(60, TimeUnit.SECONDS).close();
    }

    /** It knows that it has not become a reader. */
    @Test
    void acquire_ownPredecessorWritesNoMore_entersWithoutAQuestion() throws Exception {
        DistributedLock write = own.readWriteLock(NAME).writeLock();
        LockHandle first = write.acquire();
        CompletableFuture<LockHandle> second = write.acquireAsync();
        awaitQueue(2);

        first.close();

        second.get(60, TimeUnit.SECONDS).close();
    }

    /** All are in the queue before the first one leaves. */
    private void passInTurn(LockClient... clients) throws Exception {
        List<CompletableFuture<LockHandle>> line = new ArrayList<>();
        for (LockClient client : clients) {
            line.add(queue(client));
        }
        for (CompletableFuture<LockHandle> one : line) {
            one.get(60, TimeUnit.SECONDS).close();
        }
    }

    private CompletableFuture<LockHandle> queue(LockClient client) {
        CompletableFuture<LockHandle> acquired =
                client.lock(NAME).acquireAsync().toCompletableFuture();
        queued++;
        awaitQueue(queued);
        return acquired;
    }

    private void awaitQueue(int length) {
        await().untilAsserted(() -> assertThat(server.queueLength(NAME)).isEqualTo(length));
    }

    private static LockClient client(ForwardingTicketStore store) {
        return LockClient.over(
                store,
                ClientOptions.builder()
                        .lockDefaults(LockOptions.builder().handOvers(0).build())
                        .build());
    }

    /** Nobody learns who is in a queue, but by taking a ticket. */
    private final class Unanswered extends ForwardingTicketStore {

        Unanswered() {
            super(new InMemoryTicketStore(server));
        }

        @Override
        protected TicketQueue queue(TicketQueue sound, String name) {
            return new ForwardingQueue(sound) {
                @Override
                public CompletionStage<List<Ticket>> tickets() {
                    return new CompletableFuture<>();
                }
            };
        }
    }
}
