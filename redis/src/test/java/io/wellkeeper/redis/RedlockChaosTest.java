package io.wellkeeper.redis;

import static io.wellkeeper.redis.Await.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.spi.Lease;
import io.wellkeeper.spi.LeaseRequest;
import io.wellkeeper.spi.LeaseStore;
import io.wellkeeper.spi.StoreUri;
import io.wellkeeper.testservers.RedisProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** While servers are killed, frozen, and restarted without their data, nobody has what another relies on. */
@Tag("full")
class RedlockChaosTest {

    private static final Duration TTL = Duration.ofMillis(800);
    private static final int CLIENTS = 4;
    private static final int BLOWS = 4;
    private static final int HOLDS_BETWEEN = 10;
    private static final long LONGEST_WORK_NANOS = 4_000_000;

    private final RedlockServers servers = new RedlockServers();
    private final Queue<Hold> holds = new ConcurrentLinkedQueue<>();
    private volatile boolean over;

    /** From when to when somebody relied on having the lock. */
    private record Hold(String owner, long from, long until) {}

    @Test
    void tryAcquire_serversFailAndForget_holdsNeverOverlap() throws Exception {
        List<Thread> clients = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            Thread client = new Thread(this::work);
            client.start();
            clients.add(client);
        }
        try {
            Random random = new Random();
            awaitMoreHolds();
            for (int i = 0; i < BLOWS; i++) {
                List<RedisProcess> all = new ArrayList<>(servers.all());
                Collections.shuffle(all, random);
                strike(all, random.nextBoolean());
            }
        } finally {
            over = true;
            for (Thread client : clients) {
                client.join();
            }
            servers.close();
        }
        List<Hold> all = new ArrayList<>(holds);
        all.sort(Comparator.comparingLong(Hold::from));
        for (int i = 1; i < all.size(); i++) {
            assertThat(all.get(i).from())
                    .as("%s after %s", all.get(i), all.get(i - 1))
                    .isGreaterThanOrEqualTo(all.get(i - 1).until());
        }
    }

    /** Two are dead, or one of them frozen, for a while; then all that were alive lose their memory, one after the other. */
    private void strike(List<RedisProcess> all, boolean freeze) {
        RedisProcess one = all.get(0);
        if (freeze) {
            one.pause();
        } else {
            one.kill();
        }
        all.get(1).kill();
        awaitMoreHolds();
        all.subList(2, all.size()).forEach(RedisProcess::restart);
        if (freeze) {
            one.resume();
        } else {
            one.restart();
        }
        all.get(1).restart();
        awaitMoreHolds();
    }

    private void awaitMoreHolds() {
        int before = holds.size();
        await().atMost(Duration.ofSeconds(30)).until(() -> holds.size() > before + HOLDS_BETWEEN);
    }

    private void work() {
        String hosts = String.join(
                ",", servers.all().stream().map(RedisProcess::address).toList());
        LeaseStore store = RedlockLeaseStore.of(StoreUri.parse(servers.uri() + "?restartDelay=1s"));
        while (!over) {
            long sent = System.nanoTime();
            LeaseRequest request = new LeaseRequest("lock", UUID.randomUUID().toString(), TTL, "");
            get(store.tryAcquire(request).exceptionally(failed -> Optional.empty()))
                    .ifPresent(lease -> hold(store, lease, sent));
        }
        store.close();
    }

    private void hold(LeaseStore store, Lease lease, long sent) {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        long from = System.nanoTime();
        long deadline = sent + lease.validity().toNanos();
        LockSupport.parkNanos(random.nextLong(LONGEST_WORK_NANOS));
        if (random.nextInt(4) == 0) {
            long renewing = System.nanoTime();
            if (get(store.renew(lease, TTL).exceptionally(failed -> false)) && System.nanoTime() < deadline) {
                deadline = renewing + lease.validity().toNanos();
            }
        }
        boolean dies = random.nextInt(10) == 0;
        long until = dies ? deadline : Math.min(deadline, System.nanoTime());
        if (from < until) {
            holds.add(new Hold(lease.owner(), from, until));
        }
        if (!dies) {
            store.release(lease);
        }
    }
}
