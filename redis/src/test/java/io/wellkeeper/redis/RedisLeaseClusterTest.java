package io.wellkeeper.redis;

import static io.wellkeeper.redis.Await.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.DistributedLock;
import io.wellkeeper.LeaseClient;
import io.wellkeeper.spi.Lease;
import io.wellkeeper.spi.LeaseRequest;
import io.wellkeeper.spi.StoreUri;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(SharedServers.class)
class RedisLeaseClusterTest {

    private static final Duration TTL = Duration.ofSeconds(20);

    private final String uri;
    private final RedisLeaseStore store;
    private final String name = "lease-" + UUID.randomUUID();

    RedisLeaseClusterTest(ClusterServers servers) {
        this.uri = "redis-simple-" + servers.uri().substring("redis-".length());
        this.store = RedisLeaseStore.of(StoreUri.parse(uri));
    }

    @AfterEach
    void close() {
        store.close();
    }

    private Lease acquire(String lock) {
        return get(store.tryAcquire(new LeaseRequest(lock, "me", TTL, ""))).orElseThrow();
    }

    @Test
    void tryAcquire_manyNames_areOnTheirMasters() {
        List<Lease> leases = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            leases.add(acquire(name + i));
        }

        leases.forEach(lease -> assertThat(get(store.renew(lease, TTL))).isTrue());
        leases.forEach(lease -> assertThat(get(store.release(lease))).isTrue());
    }

    @Test
    void tryAcquire_nameWithAHashTag_isGranted() {
        assertThat(get(store.release(acquire("a{" + name + "}b")))).isTrue();
    }

    @Test
    void tryAcquire_nameWithABraceAndNoHashTag_isRefused() {
        try (LeaseClient client = LeaseClient.connect(uri)) {
            DistributedLock lock = client.lock(name + "}");

            assertThatThrownBy(lock::tryLock)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("hash tag");
        }
    }

    @Test
    void release_somebodyWasRefused_isHintedOnce() {
        AtomicInteger hints = new AtomicInteger();
        AtomicInteger others = new AtomicInteger();
        Lease other = acquire(name + "other");
        Lease lease = acquire(name);
        store.onRelease(name + "other", others::incrementAndGet);
        store.onRelease(name, hints::incrementAndGet);
        assertThat(get(store.tryAcquire(new LeaseRequest(name, "refused", TTL, ""))))
                .isEmpty();
        assertThat(get(store.tryAcquire(new LeaseRequest(name + "other", "refused", TTL, ""))))
                .isEmpty();

        get(store.release(lease));

        await().until(() -> hints.get() == 1);
        get(store.release(other));
        await().until(() -> others.get() == 1);
        assertThat(hints).hasValue(1);
    }
}
