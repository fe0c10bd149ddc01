package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.DistributedBarrier;
import io.wellkeeper.DistributedSemaphore;
import io.wellkeeper.LockClient;
import io.wellkeeper.Permits;
import io.wellkeeper.testkit.InMemoryServer;
import io.wellkeeper.testkit.InMemoryTicketStore;
import io.wellkeeper.testkit.SimulatedTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Of very many tickets of one client none has a list of the others. */
class MemoryTest {

    private static final int PARTIES = 1_500;
    private static final long MOST_BYTES_OF_PARTIES =
            40_000_000; // a set of so many, for each of them, takes more than twice that
    private static final int PERMITS = 3_000;
    private static final long MOST_BYTES_OF_PERMITS =
            30_000_000; // a list of the others, for each of them, takes more by itself

    private final SimulatedTime time = new SimulatedTime();
    private final InMemoryServer server = new InMemoryServer(time);
    private final LockClient client = client();

    private LockClient client() {
        LockClient made = LockClient.over(
                new InMemoryTicketStore(server),
                ClientOptions.builder()
                        .time(time)
                        .callbackExecutor(time.executor())
                        .closeTimeout(Duration.ZERO)
                        .build());
        time.advance(Duration.ofSeconds(1));
        return made;
    }

    @AfterEach
    void close() {
        client.close();
        server.close();
    }

    /** Whoever has passed gives his ticket back while all come again: nobody keeps in mind who that was. */
    @Test
    void await_allComeAgainAtOnce_nobodyKeepsThoseWhoHavePassed() {
        server.delay(Duration.ofMillis(20));
        DistributedBarrier barrier = client.barrier("many", PARTIES);
        List<CompletableFuture<Integer>> again = new ArrayList<>();
        long before = usedMemory();

        for (int i = 0; i < PARTIES; i++) {
            CompletableFuture<Integer> party = barrier.awaitAsync();
            if (i > 0) { // one is missing the next time
                party.thenRun(() -> again.add(barrier.awaitAsync()));
            }
        }
        time.advance(Duration.ofSeconds(1));

        assertThat(again).hasSize(PARTIES - 1).noneMatch(CompletableFuture::isDone);
        assertThat(usedMemory() - before).isLessThan(MOST_BYTES_OF_PARTIES);
    }

    /** Whoever is in does not keep in mind who was ahead of him. */
    @Test
    void acquire_allPermitsOneByOne_noneKeepsThoseAhead() {
        DistributedSemaphore semaphore = client.semaphore("many", PERMITS);
        List<CompletableFuture<Permits>> held = new ArrayList<>();
        long before = usedMemory();

        for (int i = 0; i < PERMITS; i++) {
            held.add(semaphore.acquireAsync(1));
        }
        time.advance(Duration.ofMillis(100));

        assertThat(held).allMatch(CompletableFuture::isDone);
        assertThat(usedMemory() - before).isLessThan(MOST_BYTES_OF_PERMITS);
    }

    private static long usedMemory() {
        System.gc();
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }
}
