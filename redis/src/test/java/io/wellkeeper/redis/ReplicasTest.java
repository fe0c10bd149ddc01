package io.wellkeeper.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.wellkeeper.ClientOptions;
import io.wellkeeper.DistributedLock;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockStoreException;
import io.wellkeeper.spi.StoreUri;
import io.wellkeeper.testservers.RedisProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tickets of which replicas must know. */
class ReplicasTest {

    private final RedisProcess master = RedisProcess.start();
    private final RedisProcess replica =
            RedisProcess.start("--replicaof", "127.0.0.1", Integer.toString(master.port()));

    @BeforeEach
    void awaitReplication() {
        await().until(() ->
                master.info("replication").getOrDefault("slave0", "").contains("state=online"));
    }

    @AfterEach
    void close() {
        replica.close();
        master.close();
    }

    private LockClient client(String parameters) {
        return LockClient.connect(
                "redis://" + master.address() + "?restartGuard=off&" + parameters,
                ClientOptions.builder().sessionTimeout(Duration.ofMinutes(1)).build());
    }

    @Test
    void acquire_replicaAnswers_holdsWhatTheReplicaKnows() throws Exception {
        try (LockClient client = client("replicas=1")) {
            List<CompletableFuture<LockHandle>> all = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                all.add(client.lock("l" + i).acquireAsync().toCompletableFuture());
            }
            for (int i = 0; i < 50; i++) {
                LockHandle held = all.get(i).get(60, TimeUnit.SECONDS);
                String queue =
                        new Keys("wellkeeper", Keys.SINGLE, false).of("l").queue("l" + i);
                assertThat(replica.call("ZCARD", queue)).isEqualTo(1L);
                held.close();
            }
            assertThat(master.calls("wait")).isLessThan(50);
        }
    }

    @Test
    void acquire_replicaIsFrozen_failsSayingSoAndLeavesNothing() throws Exception {
        try (LockClient client = client("replicas=1&replicaTimeout=3s")) {
            client.lock("l").acquire().close();
            replica.pause();
            try {
                assertThatExceptionOfType(LockStoreException.class)
                        .isThrownBy(() -> client.lock("l").acquire())
                        .withMessageContaining("0 of 1 replicas");
                String queue =
                        new Keys("wellkeeper", Keys.SINGLE, false).of("l").queue("l");
                await().until(() -> Long.valueOf(0).equals(master.call("EXISTS", queue)));
            } finally {
                replica.resume();
            }
            client.lock("l").acquire().close();
        }
    }

    @Test
    void unlockAndTimedTry_replicaIsFrozen_areNotHeldUp() throws Exception {
        try (LockClient client = client("replicas=1&replicaTimeout=20s");
                LockClient other = client("replicas=0")) {
            LockHandle held = client.lock("l").acquire();
            replica.pause();
            try {
                CompletableFuture<LockHandle> stuck =
                        client.lock("other").acquireAsync().toCompletableFuture();
                held.close();
                DistributedLock free = other.lock("l");
                await().pollInSameThread().until(free::tryLock);
                free.unlock();
                long begun = System.nanoTime();
                assertThat(client.lock("third").tryLock(100, TimeUnit.MILLISECONDS))
                        .isFalse();
                assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(10));
                assertThat(stuck).isNotDone();
                replica.resume();
                stuck.get(60, TimeUnit.SECONDS).close();
            } finally {
                replica.resume();
            }
        }
    }

    @Test
    void over_aLettuceClient_usesItsThreadsAndLeavesItOpen() throws Exception {
        RedisClient lettuce = RedisClient.create();
        try {
            RedisTicketStore store =
                    RedisTicketStore.over(lettuce, StoreUri.parse("redis://" + master.address() + "?restartGuard=off"));
            try (LockClient client = LockClient.over(store)) {
                client.lock("l").acquire().close();
            }
            store.close();
            try (var connection = lettuce.connect(RedisURI.create("redis://" + master.address()))) {
                assertThat(connection.sync().ping()).isEqualTo("PONG");
            }
        } finally {
            lettuce.shutdown();
        }
    }
}
