package io.wellkeeper.redis;

import static io.wellkeeper.redis.Await.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.cluster.SlotHash;
import io.wellkeeper.spi.Lease;
import io.wellkeeper.spi.LeaseRequest;
import io.wellkeeper.spi.StoreUri;
import io.wellkeeper.testservers.RedisCluster;
import io.wellkeeper.testservers.RedisProcess;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Slots move while somebody waits for a lock in Redisson's layout. */
class RedissonSlotTest {

    private static final Duration TTL = Duration.ofSeconds(20);

    private final ClusterServers servers = new ClusterServers();
    private final String uri = "redis-redisson-" + servers.uri().substring("redis-".length());
    private final RedissonLeaseStore holder = RedissonLeaseStore.of(StoreUri.parse(uri));
    private final RedissonLeaseStore waiter = RedissonLeaseStore.of(StoreUri.parse(uri));

    @AfterEach
    void close() {
        holder.close();
        waiter.close();
        servers.close();
    }

    private static Optional<Lease> tryAcquire(RedissonLeaseStore store, String name) {
        return get(store.tryAcquire(new LeaseRequest(name, UUID.randomUUID().toString(), TTL, "")));
    }

    /** A name that is kept by this master. */
    private String nameAt(RedisProcess master) {
        for (int i = 0; ; i++) {
            if (servers.master(SlotHash.getSlot("lock-" + i)) == master) {
                return "lock-" + i;
            }
        }
    }

    @Test
    void release_slotHasMovedToAMasterThatIsConnected_isHinted() throws Exception {
        RedisProcess from = servers.masters().get(0);
        RedisProcess to = servers.masters().get(1);
        String name = nameAt(from);
        assertThat(tryAcquire(waiter, nameAt(to))).isPresent();
        Lease lease = tryAcquire(holder, name).orElseThrow();
        assertThat(tryAcquire(waiter, name)).isEmpty();
        CountDownLatch hinted = new CountDownLatch(1);
        waiter.onRelease(name, hinted::countDown);

        RedisCluster.move(SlotHash.getSlot(name), from, to);
        assertThat(tryAcquire(waiter, name)).isEmpty();
        String channel = RedissonLeaseStore.channel(name);
        await().until(() -> List.of(channel, 1L).equals(to.call("PUBSUB", "SHARDNUMSUB", channel)));

        assertThat(get(holder.release(lease))).isTrue();
        assertThat(hinted.await(60, TimeUnit.SECONDS)).isTrue();
    }
}
