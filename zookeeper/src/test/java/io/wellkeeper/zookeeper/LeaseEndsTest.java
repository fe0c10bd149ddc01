package io.wellkeeper.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.LockStoreException;
import io.wellkeeper.spi.Lease;
import io.wellkeeper.spi.StoreRefusalException;
import java.time.Duration;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;

class LeaseEndsTest {

    private static final Duration TTL = Duration.ofMillis(1);
    private static final Duration PLENTY = Duration.ofMinutes(1);
    private static final int MANY = 5_000;

    private final Lease lease = new Lease("l", "o", OptionalLong.of(1), TTL);
    private final Queue<Long> asked = new ConcurrentLinkedQueue<>();

    @Test
    void end_serverRefuses_isAskedAgainAfterPausesThatGrow() {
        LeaseEnds ends = new LeaseEnds(ended -> {
            asked.add(System.nanoTime());
            return CompletableFuture.failedFuture(new StoreRefusalException("the access rights do not allow it"));
        });

        ends.begin(lease, TTL);

        await().atMost(PLENTY).until(() -> asked.size() >= 4);
        long first = asked.remove();
        assertThat(Duration.ofNanos(asked.stream().skip(2).findFirst().orElseThrow() - first))
                .isGreaterThan(Duration.ofMillis(1_300));
        ends.close();
        assertThat(ends.areOver()).isTrue();
    }

    /** It may end before whoever has begun it has gone on. */
    @Test
    void end_leaseIsOverAtOnce_isAskedAgainAllTheSame() {
        Map<String, Integer> asks = new ConcurrentHashMap<>();
        LeaseEnds ends = new LeaseEnds(ended -> {
            asks.merge(ended.owner(), 1, Integer::sum);
            return CompletableFuture.failedFuture(new LockStoreException("the connection has broken"));
        });

        for (int i = 0; i < MANY; i++) {
            ends.begin(new Lease("l", "o" + i, OptionalLong.of(1), Duration.ZERO), Duration.ZERO);
        }

        await().atMost(PLENTY)
                .until(() -> asks.size() == MANY && asks.values().stream().allMatch(times -> times > 1));
        ends.close();
    }
}
