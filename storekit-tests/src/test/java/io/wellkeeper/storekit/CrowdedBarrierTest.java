package io.wellkeeper.storekit;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.LockClient;
import io.wellkeeper.testkit.InMemoryServer;
import io.wellkeeper.testkit.InMemoryTicketStore;
import io.wellkeeper.testkit.SimulatedTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What a barrier costs when many more come at once than pass together. */
class CrowdedBarrierTest {

    private static final String NAME = "crowded";
    private static final int COME = 200;
    private static final int REQUESTS_OF_ONE = 16;
    private static final Duration A_WHILE = Duration.ofSeconds(30);

    @Test
    void awaitAsync_manyMoreComeThanPassTogether_allPassAndEachCostsAFewRequests() {
        SimulatedTime time = new SimulatedTime();
        InMemoryServer server = new InMemoryServer(time);
        ClientOptions options = ClientOptions.builder()
                .time(time)
                .callbackExecutor(time.executor())
                .build();
        LockClient client = LockClient.over(new InMemoryTicketStore(server), options);
        time.advance(A_WHILE);
        int before = server.requests();
        List<CompletableFuture<Integer>> all = new ArrayList<>();
        for (int i = 0; i < COME; i++) {
            all.add(client.barrier(NAME, 2).awaitAsync());
        }

        time.advance(A_WHILE);

        assertThat(all).allMatch(CompletableFuture::isDone).noneMatch(CompletableFuture::isCompletedExceptionally);
        assertThat(all.stream().map(CompletableFuture::join).filter(missing -> missing == 0))
                .hasSize(COME / 2);
        assertThat(server.requests() - before).isLessThan(COME * REQUESTS_OF_ONE);
        server.close();
    }
}
