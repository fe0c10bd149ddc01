package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.DistributedBarrier;
import io.wellkeeper.LockClient;
import io.wellkeeper.testkit.InMemoryServer;
import io.wellkeeper.testkit.InMemoryTicketStore;
import io.wellkeeper.testkit.SimulatedTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Very many parties of one client that meet again and again. */
class ManyPartiesTest {

    private static final int PARTIES = 1_500;
    private static final long MOST_BYTES = 40_000_000; // a set of so many, for each of them, takes more than twice that

    private final SimulatedTime time = new SimulatedTime();
    private final InMemoryServer server = new InMemoryServer(time);

    /** Whoever has passed gives his ticket back while all come again: nobody keeps in mind who that was. */
    @Test
    void await_allComeAgainAtOnce_nobodyKeepsThoseWhoHavePassed() {
        LockClient client = LockClient.over(
                new InMemoryTicketStore(server),
                ClientOptions.builder()
                        .time(time)
                        .callbackExecutor(time.executor())
                        .closeTimeout(Duration.ZERO)
                        .build());
        time.advance(Duration.ofSeconds(1));
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
        assertThat(usedMemory() - before).isLessThan(MOST_BYTES);
        client.close();
        server.close();
    }

    private static long usedMemory() {
        System.gc();
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }
}
