package io.wellkeeper.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.DistributedSemaphore;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.testkit.process.RedisProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/**
 * A client asks for very many locks at once, and loses none that it has. {@code redis/soak} has four processes keep the
 * machine busy meanwhile.
 */
class BurstTest {

    private static final int NAMES = 30_000;
    private static final int OF_ONE_NAME = Integer.getInteger("io.wellkeeper.redis.crowd", 300);
    private static final int BUSY = Integer.getInteger("io.wellkeeper.redis.busy", 0); // processes beside it

    private final AtomicInteger lost = new AtomicInteger();

    private static LockClient connect(RedisProcess server) {
        return LockClient.connect(
                "redis://" + server.address() + "?restartGuard=off",
                ClientOptions.builder()
                        .sessionTimeout(Duration.ofSeconds(4))
                        .storeTimeout(Duration.ofMinutes(1)) // the machine may be slow
                        .build());
    }

    private List<LockHandle> hold(LockClient client, String prefix, int count) throws Exception {
        List<LockHandle> held = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            LockHandle handle = client.lock(prefix + i).acquireAsync().get(1, TimeUnit.MINUTES);
            handle.onLost(lost::incrementAndGet);
            held.add(handle);
        }
        return held;
    }

    /** Each of those who wait is shown all those ahead, which takes the server the longer the more they are. */
    @Test
    void acquireAsync_thousandsOfOneNameAtOnce_noLockIsLost() throws Exception {
        try (RedisProcess server = RedisProcess.start();
                LockClient client = connect(server)) {
            List<LockHandle> held = hold(client, "held/", 100);
            DistributedSemaphore semaphore = client.semaphore("burst", 1);
            String queue =
                    new Keys("wellkeeper", Keys.SINGLE, false).of("burst").queue("burst");
            for (int i = 0; i < OF_ONE_NAME; i++) {
                semaphore.acquireHandleAsync(1);
            }
            await().atMost(Duration.ofMinutes(5)).until(() -> {
                assertThat(lost).hasValue(0);
                return Long.valueOf(OF_ONE_NAME).equals(server.call("ZCARD", queue));
            });
            assertThat(held).allSatisfy(handle -> assertThat(handle.isHeld()).isTrue());
        }
    }

    @Test
    void acquireAsync_thirtyThousandNamesAtOnce_noLockIsLost() throws Exception {
        List<Process> busy = new ArrayList<>();
        try (RedisProcess server = RedisProcess.start();
                LockClient client = connect(server);
                LockClient other = connect(server)) {
            List<LockHandle> held = hold(client, "held/", 300);
            held.addAll(hold(other, "theirs/", 100));
            for (int i = 0; i < BUSY; i++) {
                busy.add(new ProcessBuilder("/bin/sh", "-c", "while :; do :; done").start());
            }
            List<CompletableFuture<LockHandle>> all = new ArrayList<>();
            for (int i = 0; i < NAMES; i++) {
                all.add(client.lock("burst/" + i).acquireAsync());
            }
            for (CompletableFuture<LockHandle> one : all) {
                one.get(5, TimeUnit.MINUTES).close();
            }
            assertThat(held).allSatisfy(handle -> assertThat(handle.isHeld()).isTrue());
            assertThat(lost).hasValue(0);
        } finally {
            busy.forEach(Process::destroyForcibly);
        }
    }
}
