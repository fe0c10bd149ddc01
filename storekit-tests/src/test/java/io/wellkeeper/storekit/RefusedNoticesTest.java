package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.DistributedLatch;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockStoreException;
import io.wellkeeper.spi.Notice;
import io.wellkeeper.spi.TicketQueue;
import io.wellkeeper.testkit.ForwardingTicketStore;
import io.wellkeeper.testkit.InMemoryServer;
import io.wellkeeper.testkit.InMemoryTicketStore;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A store that does not let its notices be changed is asked again a few times, and then no more. */
class RefusedNoticesTest {

    private static final String NAME = "refused";
    private static final Duration STORE_TIMEOUT = Duration.ofSeconds(1);
    private static final int MOST_POSTS = 50;

    private final InMemoryServer server = new InMemoryServer();
    private final AtomicInteger posts = new AtomicInteger();
    private final Actor actor = new Actor();
    private volatile Refusal refusal = Refusal.NONE;
    private LockClient client;

    private enum Refusal {
        NONE,
        FAILS,
        ALWAYS_TOO_LATE
    }

    @BeforeEach
    void connect() {
        client = LockClient.over(
                new RefusingStore(),
                ClientOptions.builder().storeTimeout(STORE_TIMEOUT).build());
    }

    @AfterEach
    void close() {
        actor.close();
        client.close();
        server.close();
    }

    private void assertGivesUp(Actor.Action change) {
        Future<?> changing = actor.begin(change);
        assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> Await.result(changing));
        assertThat(posts.getAndSet(0)).isBetween(1, MOST_POSTS);
    }

    @ParameterizedTest
    @EnumSource(value = Refusal.class, names = "NONE", mode = EnumSource.Mode.EXCLUDE)
    void latch_anyChange_givesUpAtTheStoreTimeout(Refusal how) {
        DistributedLatch latch = client.latch(NAME);
        refusal = how;
        assertGivesUp(() -> latch.trySetCount(3));
        refusal = Refusal.NONE;
        assertThat(latch.trySetCount(3)).isTrue();
        posts.set(0);
        refusal = how;

        assertGivesUp(latch::countDown);
        assertGivesUp(latch::delete);

        assertThat(latch.getCount()).isEqualTo(3);
    }

    @Test
    void countDown_refusedForAMoment_countsOnce() {
        DistributedLatch latch = client.latch(NAME);
        assertThat(latch.trySetCount(3)).isTrue();
        posts.set(0);
        refusal = Refusal.FAILS;
        Future<?> counting = actor.begin(latch::countDown);
        Await.until("two refusals", () -> posts.get() >= 2);

        refusal = Refusal.NONE;

        Await.result(counting);
        assertThat(latch.getCount()).isEqualTo(2);
    }

    @ParameterizedTest
    @EnumSource(value = Refusal.class, names = "NONE", mode = EnumSource.Mode.EXCLUDE)
    void client_anyChange_givesUpAtTheStoreTimeout(Refusal how) throws Exception {
        try (LockHandle handle = client.semaphore(NAME, 2).acquire(1)) {
            posts.set(0);
            refusal = how;

            assertGivesUp(() -> client.admin().requestRevocation(NAME, "why"));
            assertGivesUp(() -> client.admin().breakLock(NAME, "why"));
            assertGivesUp(() -> client.semaphore(NAME, 2).resize(3));

            assertThat(handle.isHeld()).isTrue();
        }
    }

    private final class RefusingStore extends ForwardingTicketStore {

        RefusingStore() {
            super(new InMemoryTicketStore(server));
        }

        @Override
        protected TicketQueue queue(TicketQueue sound, String name) {
            return new ForwardingQueue(sound) {
                @Override
                public CompletionStage<Boolean> post(Notice seen, String text) {
                    posts.incrementAndGet();
                    return switch (refusal) {
                        case NONE -> super.post(seen, text);
                        case FAILS -> CompletableFuture.failedFuture(new LockStoreException("read-only"));
                        case ALWAYS_TOO_LATE -> super.notice().thenApply(read -> false);
                    };
                }
            };
        }
    }
}
