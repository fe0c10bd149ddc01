package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.wellkeeper.DistributedLatch;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockStoreException;
import io.wellkeeper.spi.Notice;
import io.wellkeeper.spi.TicketQueue;
import io.wellkeeper.testkit.ForwardingTicketStore;
import io.wellkeeper.testkit.InMemoryServer;
import io.wellkeeper.testkit.InMemoryTicketStore;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The reply to a change of a notice is lost, and somebody else makes another change before it is asked for again. */
class UnknownChangesTest {

    private static final String NAME = "unknown";

    private final InMemoryServer server = new InMemoryServer();
    private final LockClient client = LockClient.over(new WithholdingStore());
    private final LockClient other = LockClient.over(new InMemoryTicketStore(server));
    private final Actor actor = new Actor();
    private final AtomicReference<@Nullable CompletableFuture<Boolean>> reply = new AtomicReference<>();

    @AfterEach
    void close() {
        actor.close();
        client.close();
        other.close();
        server.close();
    }

    /** From now on the reply to the next change is what the test makes of it. */
    private CompletableFuture<Boolean> withholdNextReply() {
        CompletableFuture<Boolean> withheld = new CompletableFuture<>();
        reply.set(withheld);
        return withheld;
    }

    private static void lose(CompletableFuture<Boolean> withheld) {
        withheld.completeExceptionally(new LockStoreException("the connection is broken"));
    }

    @Test
    void trySetCount_itsCountIsOverAndAnotherStands_nobodyKnows() {
        DistributedLatch latch = other.latch(NAME);
        CompletableFuture<Boolean> withheld = withholdNextReply();
        Future<Boolean> setting = actor.start(() -> client.latch(NAME).trySetCount(1));
        Await.until("the count", () -> latch.getCount() == 1);
        latch.countDown();
        assertThat(latch.trySetCount(5)).isTrue();

        lose(withheld);

        assertThatExceptionOfType(LockStoreException.class)
                .isThrownBy(() -> Await.result(setting))
                .withMessageContaining("nobody knows");
        assertThat(latch.getCount()).isEqualTo(5);
    }

    @Test
    void trySetCount_itsCountIsOverAndNoneStands_nobodyKnows() {
        DistributedLatch latch = other.latch(NAME);
        CompletableFuture<Boolean> withheld = withholdNextReply();
        Future<Boolean> setting = actor.start(() -> client.latch(NAME).trySetCount(1));
        Await.until("the count", () -> latch.getCount() == 1);
        latch.countDown();

        lose(withheld);

        assertThatExceptionOfType(LockStoreException.class)
                .isThrownBy(() -> Await.result(setting))
                .withMessageContaining("nobody knows");
        assertThat(latch.getCount()).isZero();
    }

    @Test
    void trySetCount_itsCountStands_isTrue() {
        DistributedLatch latch = other.latch(NAME);
        CompletableFuture<Boolean> withheld = withholdNextReply();
        Future<Boolean> setting = actor.start(() -> client.latch(NAME).trySetCount(3));
        Await.until("the count", () -> latch.getCount() == 3);
        latch.countDown();

        lose(withheld);

        assertThat(Await.result(setting)).isTrue();
        assertThat(latch.getCount()).isEqualTo(2);
    }

    @Test
    void countDown_anotherHasCountedSince_countsOnce() {
        DistributedLatch latch = other.latch(NAME);
        latch.trySetCount(5);
        CompletableFuture<Boolean> withheld = withholdNextReply();
        Future<?> counting = actor.begin(client.latch(NAME)::countDown);
        Await.until("the count", () -> latch.getCount() == 4);
        latch.countDown();

        lose(withheld);

        Await.result(counting);
        assertThat(latch.getCount()).isEqualTo(3);
    }

    @Test
    void countDown_storeRepeatsItAndSaysNo_countsOnce() {
        DistributedLatch latch = other.latch(NAME);
        latch.trySetCount(5);
        CompletableFuture<Boolean> withheld = withholdNextReply();
        Future<?> counting = actor.begin(client.latch(NAME)::countDown);
        Await.until("the count", () -> latch.getCount() == 4);
        latch.countDown();

        withheld.complete(false);

        Await.result(counting);
        assertThat(latch.getCount()).isEqualTo(3);
    }

    private final class WithholdingStore extends ForwardingTicketStore {

        WithholdingStore() {
            super(new InMemoryTicketStore(server));
        }

        @Override
        protected TicketQueue queue(TicketQueue sound, String name) {
            return new ForwardingQueue(sound) {
                @Override
                public CompletionStage<Boolean> post(Notice seen, String text) {
                    CompletionStage<Boolean> posted = super.post(seen, text);
                    CompletableFuture<Boolean> withheld = reply.getAndSet(null);
                    return withheld == null ? posted : withheld;
                }
            };
        }
    }
}
