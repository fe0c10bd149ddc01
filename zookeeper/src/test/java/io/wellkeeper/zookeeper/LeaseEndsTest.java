package io.wellkeeper.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.spi.Lease;
import io.wellkeeper.spi.StoreRefusalException;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;

class LeaseEndsTest {

    private static final Duration TTL = Duration.ofMillis(1);

    private final Lease lease = new Lease("l", "o", OptionalLong.of(1), TTL);
    private final Queue<Long> asked = new ConcurrentLinkedQueue<>();

    @Test
    void end_serverRefuses_isAskedAgainAfterPausesThatGrow() {
        LeaseEnds ends = new LeaseEnds(ended -> {
            asked.add(System.nanoTime());
            return CompletableFuture.failedFuture(new StoreRefusalException("the access rights do not allow it"));
        });

        ends.begin(lease, TTL);

        await().until(() -> asked.size() == 4);
        long first = asked.remove();
        assertThat(Duration.ofNanos(asked.stream().skip(2).findFirst().orElseThrow() - first))
                .isGreaterThan(Duration.ofMillis(1_300));
        ends.close();
        assertThat(ends.areOver()).isTrue();
    }
}
