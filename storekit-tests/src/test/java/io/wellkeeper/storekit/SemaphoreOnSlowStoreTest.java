package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.LockOptions;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketQueue;
import io.wellkeeper.spi.TicketStore;
import io.wellkeeper.testkit.ForwardingTicketStore;
import io.wellkeeper.testkit.InMemoryTicketStore;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Permits whose release is waited for, while the store takes its time. */
class SemaphoreOnSlowStoreTest extends SemaphoreKit {

    private final AtomicInteger removals = new AtomicInteger();
    private final CompletableFuture<Boolean> acknowledged = new CompletableFuture<>();
    private final InMemoryLockFixture inMemory = new InMemoryLockFixture() {
        @Override
        TicketStore wrap(InMemoryTicketStore store) {
            return new SlowRemovals(store);
        }
    };

    @Override
    protected LockFixture newFixture() {
        return inMemory;
    }

    private Client awaitingClient() throws Exception {
        return client(options()
                .storeTimeout(Duration.ofMinutes(5))
                .lockDefaults(LockOptions.builder().awaitRelease(true).build()));
    }

    @Test
    void acquire_releaseIsAwaitedByAnother_isNotHeldUp() throws Exception {
        Purse semaphore = semaphore(awaitingClient(), 4);
        acquire(semaphore, 1);
        acquire(semaphore, 1);
        Future<?> releasing = actor().begin(semaphore::give);
        Await.until("a release under way", () -> removals.get() > 0);

        acquire(semaphore, 2);

        Future<?> alsoReleasing = actor().begin(() -> semaphore.give(2));
        Await.until("another release under way", () -> removals.get() > 1);
        assertThat(releasing).isNotDone();
        acknowledged.complete(true);
        Await.result(releasing);
        Await.result(alsoReleasing);
        semaphore.give();
        assertAllComeBack(4);
    }

    @Test
    void release_partIsAwaited_othersCanHaveItAtOnce() throws Exception {
        acknowledged.complete(true);
        Purse semaphore = semaphore(awaitingClient(), 3);
        Purse other = semaphore(client(), 3);
        acquire(semaphore, 3);
        inMemory.server.delay(Duration.ofMillis(50));

        semaphore.give(1);

        inMemory.server.delay(Duration.ZERO);
        assertThat(other.tryTake()).isTrue();
        semaphore.give(2);
        other.give();
        assertAllComeBack(3);
    }

    private final class SlowRemovals extends ForwardingTicketStore {

        SlowRemovals(InMemoryTicketStore store) {
            super(store);
        }

        @Override
        protected TicketQueue queue(TicketQueue sound, String queueName) {
            return new ForwardingQueue(sound) {
                @Override
                public CompletionStage<Boolean> remove(Ticket ticket) {
                    removals.incrementAndGet();
                    return queue.remove(ticket).thenCombine(acknowledged, (removed, done) -> removed);
                }
            };
        }
    }
}
