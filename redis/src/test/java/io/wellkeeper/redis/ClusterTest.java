package io.wellkeeper.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.cluster.SlotHash;
import io.wellkeeper.ClientOptions;
import io.wellkeeper.DistributedLock;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockStoreException;
import io.wellkeeper.testservers.RedisCluster;
import io.wellkeeper.testservers.RedisProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Masters fail each by itself, and slots move. */
@Tag("full")
class ClusterTest {

    private static final Duration LEASE = Duration.ofSeconds(3);

    private final ClusterServers servers = new ClusterServers();
    private final Keys keys = new Keys("wellkeeper", Keys.CLUSTER, true);

    @AfterEach
    void close() {
        servers.close();
    }

    private LockClient client(Duration lease) {
        return LockClient.connect(
                servers.uri() + "?restartGuard=off",
                ClientOptions.builder()
                        .sessionTimeout(lease)
                        .storeTimeout(Duration.ofMinutes(1)) // the machine may be slow
                        .build());
    }

    /** A name that is kept by this master. */
    private String nameAt(RedisProcess master) {
        for (int i = 0; ; i++) {
            if (servers.master(keys.of("lock-" + i).slot()) == master) {
                return "lock-" + i;
            }
        }
    }

    @Test
    void oneMasterIsFrozen_onlyItsLocksAreLost() throws Exception {
        List<DistributedLock> locks = new ArrayList<>();
        CountDownLatch lost = new CountDownLatch(1);
        try (LockClient client = client(LEASE)) {
            for (RedisProcess master : servers.masters()) {
                DistributedLock lock = client.lock(nameAt(master));
                lock.lock();
                locks.add(lock);
            }
            locks.get(2).onLost(lost::countDown);
            RedisProcess frozen = servers.masters().get(2);
            frozen.pause();
            try {
                assertThat(lost.await(60, TimeUnit.SECONDS)).isTrue();
                long since = System.nanoTime();
                await().pollInSameThread()
                        .until(() -> System.nanoTime() - since
                                        > LEASE.multipliedBy(2).toNanos()
                                || !locks.get(0).isHeldByCurrentThread());
                locks.get(0).unlock();
                locks.get(1).unlock();
                locks.get(0).lock();
                locks.get(0).unlock();
            } finally {
                frozen.resume();
            }
        }
    }

    @Test
    void acquireInManyPartitions_noReplicaAnswers_noneWaitsForTheOthers() throws Exception {
        RedisProcess master = servers.masters().get(0);
        Set<Integer> partitions = new HashSet<>();
        List<CompletableFuture<LockHandle>> all = new ArrayList<>();
        try (LockClient client = LockClient.connect(
                servers.uri() + "?restartGuard=off&replicas=1&replicaTimeout=2s",
                ClientOptions.builder().sessionTimeout(Duration.ofMinutes(1)).build())) {
            for (int i = 0; partitions.size() < 15; i++) {
                Keys.Partition partition = keys.of("lock-" + i);
                if (servers.master(partition.slot()) == master && partitions.add(partition.number())) {
                    all.add(client.lock("lock-" + i).acquireAsync());
                }
            }
            long deadline = System.nanoTime() + Duration.ofSeconds(15).toNanos(); // two seconds each would take longer

            for (CompletableFuture<LockHandle> one : all) {
                assertThatThrownBy(() -> one.get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS))
                        .hasMessageContaining("0 of 1 replicas");
            }
        }
    }

    @Test
    void warnings_oneMasterIsSetUpBadly_nameIt() {
        RedisProcess bad = servers.masters().get(2);
        bad.call("CONFIG", "SET", "maxmemory-policy", "allkeys-lru");

        try (LockClient client = client(LEASE)) {
            assertThat(client.admin().storeWarnings())
                    .filteredOn(said -> said.contains("maxmemory-policy"))
                    .singleElement()
                    .asString()
                    .startsWith(bad.address() + ": maxmemory-policy is allkeys-lru");
        }
    }

    @Test
    void manyLocksHeld_eachPartitionIsRenewedByOneRequest() throws Exception {
        List<LockHandle> held = new ArrayList<>();
        try (LockClient client = client(Duration.ofSeconds(8))) {
            for (int i = 0; i < 500; i++) {
                held.add(client.lock("held-" + i).acquire());
            }
            long before = servers.scripts();
            long since = System.nanoTime();
            await().until(() -> servers.scripts() - before >= Keys.CLUSTER);
            long during = servers.scripts() - before;
            double periods = (System.nanoTime() - since) / (double) TimeUnit.SECONDS.toNanos(2);

            assertThat(during).isLessThanOrEqualTo((long) (Keys.CLUSTER * (periods + 2)));
            held.forEach(LockHandle::checkHeld);
            held.forEach(LockHandle::close);
        }
    }

    @Test
    void slotMovesToAnotherMaster_lockIsKeptAndHandedOn() throws Exception {
        RedisProcess from = servers.masters().get(0);
        RedisProcess to = servers.masters().get(1);
        String name = nameAt(from);
        try (LockClient one = client(Duration.ofSeconds(8));
                LockClient two = client(Duration.ofSeconds(8))) {
            LockHandle first = one.lock(name).acquire();
            CompletableFuture<LockHandle> second = two.lock(name).acquireAsync().toCompletableFuture();
            await().until(() -> one.admin().inspect(name).waiters().size() == 1);

            RedisCluster.move(keys.of(name).slot(), from, to);
            first.checkHeld();
            first.close();

            LockHandle next = second.get(60, TimeUnit.SECONDS);
            assertThat(next.fencingToken()).isGreaterThan(0);
            next.checkHeld();
            assertThat(one.lock(name).tryLock()).isFalse();
            next.close();
            one.lock(name).acquire().close();
        }
    }

    @Test
    void slotHasMovedBeforeItsFirstUse_lockIsFoundAtTheOtherMaster() throws Exception {
        RedisProcess from = servers.masters().get(0);
        String name = nameAt(from);
        try (LockClient client = client(LEASE)) {
            client.lock(nameAt(servers.masters().get(2))).acquire().close();
            RedisCluster.move(keys.of(name).slot(), from, servers.masters().get(1));

            assertThat(client.lock(name).tryLock(20, TimeUnit.SECONDS)).isTrue();
            client.lock(name).unlock();
        }
    }

    @Test
    void slotHasMovedAndItsOldMasterIsGone_lockIsFoundAtTheOtherMaster() throws Exception {
        RedisProcess from = servers.masters().get(1); // of which nothing is known but the map
        String name = nameAt(from);
        try (LockClient client = client(LEASE)) {
            client.lock(nameAt(servers.masters().get(0))).acquire().close();
            RedisCluster.move(keys.of(name).slot(), from, servers.masters().get(2));
            from.kill();

            assertThat(client.lock(name).tryLock(20, TimeUnit.SECONDS)).isTrue();
            client.lock(name).unlock();
        }
    }

    private LockClient connect(String parameters) {
        return LockClient.connect(servers.uri() + "?restartGuard=off" + parameters);
    }

    @Test
    void connect_othersHaveAnotherNumberOfPartitions_isRefusedUntilTheKeyIsDeleted() throws Exception {
        RedisProcess home = servers.master(SlotHash.getSlot(keys.count()));
        try (LockClient client = client(LEASE);
                LockHandle held = client.lock("l").acquire()) {
            assertThatExceptionOfType(LockStoreException.class)
                    .isThrownBy(() -> connect("&partitions=32"))
                    .withMessageContaining("partitions=64, and this one has partitions=32")
                    .withMessageContaining("delete the key wellkeeper:partitions");
            try (LockClient other = connect("&partitions=64")) {
                assertThat(other.lock("l").tryLock()).isFalse();
            }
            held.checkHeld();
        }
        assertThat((Long) home.call("PTTL", keys.count())).isGreaterThan(0);

        home.call("DEL", keys.count());
        connect("&partitions=32").close();
        assertThat(home.call("GET", keys.count())).isEqualTo("32");
    }

    @Test
    void connect_numberOfPartitionsWasLostWithAllDataAndOthersGoOn_isRefused() throws Exception {
        try (LockClient client = client(LEASE)) {
            client.lock("l").acquire().close();
            servers.masters().forEach(master -> master.call("FLUSHALL"));
            await().atMost(Duration.ofMinutes(1))
                    .until(() -> client.lock("l")
                            .tryAcquire()
                            .map(handle -> {
                                handle.close();
                                return true;
                            })
                            .orElse(false));

            assertThatExceptionOfType(LockStoreException.class)
                    .isThrownBy(() -> connect("&partitions=32"))
                    .withMessageContaining("partitions=64, and this one has partitions=32");
        }
    }

    @Test
    void connect_masterThatKnowsTheNumberOfPartitionsIsFrozen_isNotRefused() throws Exception {
        RedisProcess frozen = servers.masters().get(2);
        String prefix = IntStream.iterate(0, i -> i + 1)
                .mapToObj(i -> "prefix-" + i)
                .filter(one -> servers.master(SlotHash.getSlot(new Keys(one, Keys.CLUSTER, true).count())) == frozen)
                .findFirst()
                .orElseThrow();
        frozen.pause();
        try (LockClient client = connect("&prefix=" + prefix)) {
            client.lock(nameAt(servers.masters().get(0))).acquire().close();
            frozen.resume();

            client.lock(nameAt(servers.masters().get(1))).acquire().close();
        }
        assertThat(frozen.call("GET", prefix + ":partitions")).isEqualTo("64");
    }

    @Test
    void names_onAllMasters_areFound() throws Exception {
        try (LockClient client = client(LEASE)) {
            List<LockHandle> held = new ArrayList<>();
            List<String> names = new ArrayList<>();
            for (RedisProcess master : servers.masters()) {
                names.add(nameAt(master));
                held.add(client.lock(nameAt(master)).acquire());
            }

            assertThat(client.admin().names("lock-")).containsExactlyInAnyOrderElementsOf(names);
            held.forEach(LockHandle::close);
        }
    }
}
