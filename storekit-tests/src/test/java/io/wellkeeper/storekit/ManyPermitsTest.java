package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.ClientOptions;
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
import org.junit.jupiter.api.Test;

/** Very many permits that one client holds, each by itself. */
class ManyPermitsTest {

    private static final int PERMITS = 3_000;
    private static final long MOST_BYTES = 30_000_000; // a list of the others, for each of them, takes more by itself

    private final SimulatedTime time = new SimulatedTime();
    private final InMemoryServer server = new InMemoryServer(time);

    /** Whoever is in does not keep in mind who was ahead of him. */
    @Test
    void acquire_allOfThem_noneKeepsThoseAhead() {
        LockClient client = LockClient.over(
                new InMemoryTicketStore(server),
                ClientOptions.builder()
                        .time(time)
                        .callbackExecutor(time.executor())
                        .closeTimeout(Duration.ZERO)
                        .build());
        time.advance(Duration.ofSeconds(1));
        DistributedSemaphore semaphore = client.semaphore("many", PERMITS);
        List<CompletableFuture<Permits>> held = new ArrayList<>();
        long before = usedMemory();

        for (int i = 0; i < PERMITS; i++) {
            held.add(semaphore.acquireAsync(1));
        }
        time.advance(Duration.ofMillis(100));

        assertThat(held).allMatch(CompletableFuture::isDone);
        assertThat(usedMemory() - before).isLessThan(MOST_BYTES);
        client.close();
        server.close();
    }

    private static long usedMemory() {
        System.gc();
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }
}
