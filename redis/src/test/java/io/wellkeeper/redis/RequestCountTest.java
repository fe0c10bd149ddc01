package io.wellkeeper.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.RedisClient;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.wellkeeper.ClientOptions;
import io.wellkeeper.DistributedLock;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockOptions;
import io.wellkeeper.spi.StoreUri;
import io.wellkeeper.testservers.RedisProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What locks cost, counted by the server. */
class RequestCountTest {

    private static final int ROUNDS = 100;
    private static final int THREADS = 2; // the fewest of Lettuce's

    private final RedisProcess server = RedisProcess.start();
    private final LockClient client = connect();

    private LockClient connect() {
        return LockClient.connect(
                "redis://" + server.address() + "?restartGuard=off",
                ClientOptions.builder()
                        .sessionTimeout(Duration.ofMinutes(5))
                        .lockDefaults(LockOptions.builder().awaitRelease(true).build())
                        .build());
    }

    @BeforeEach
    void forgetWhatCameBefore() {
        server.call("CONFIG", "RESETSTAT");
    }

    @AfterEach
    void close() {
        client.close();
        server.close();
    }

    @Test
    void freeLock_lockAndUnlock_takesTwoScripts() {
        DistributedLock lock = client.lock("free");
        for (int i = 0; i < ROUNDS; i++) {
            lock.lock();
            lock.unlock();
        }

        assertThat(server.calls("evalsha")).isEqualTo(2L * ROUNDS);
        assertThat(server.calls("eval") + server.calls("script|load") + server.calls("subscribe"))
                .isZero();
    }

    @Test
    void freeLock_lockedAgainBeforeTheUnlockIsWritten_oneScriptDoesBoth() throws Exception {
        ClientResources resources =
                DefaultClientResources.builder().ioThreadPoolSize(THREADS).build();
        RedisClient lettuce = RedisClient.create(resources, "redis://" + server.address());
        StoreUri uri = StoreUri.parse("redis://" + server.address() + "?restartGuard=off");
        CountDownLatch written = new CountDownLatch(1);
        try (LockClient own = LockClient.over(RedisTicketStore.over(lettuce, uri))) {
            DistributedLock lock = own.lock("free");
            lock.lock();
            long before = lock.fencingToken();
            server.call("CONFIG", "RESETSTAT");
            holdUpAllThreads(lettuce, written);
            lock.unlock();
            CompletableFuture<LockHandle> again = lock.acquireAsync().toCompletableFuture();
            written.countDown();

            LockHandle handle = again.get(60, TimeUnit.SECONDS);

            assertThat(server.calls("evalsha")).isEqualTo(1);
            assertThat(handle.fencingToken()).isGreaterThan(before);
            assertThat(server.call("ZCARD", queue("free"))).isEqualTo(1L);
            handle.close();
        } finally {
            written.countDown();
            lettuce.shutdown();
            resources.shutdown();
        }
    }

    /** Connections are shared out among them one after the other. */
    private void holdUpAllThreads(RedisClient lettuce, CountDownLatch end) throws InterruptedException {
        CountDownLatch heldUp = new CountDownLatch(THREADS);
        for (int i = 0; i < THREADS; i++) {
            lettuce.connect().async().blpop(60, "begin" + i).thenAccept(begun -> {
                heldUp.countDown();
                awaitQuietly(end);
            });
        }
        for (int i = 0; i < THREADS; i++) {
            server.call("LPUSH", "begin" + i, "now");
        }
        assertThat(heldUp.await(60, TimeUnit.SECONDS)).isTrue();
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await(60, TimeUnit.SECONDS);
        } catch (InterruptedException nobodyDoes) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void takenLock_handedOverBetweenClients_takesTwoScriptsEach() throws Exception {
        try (LockClient other = connect()) {
            DistributedLock here = client.lock("taken");
            DistributedLock there = other.lock("taken");
            server.call("CONFIG", "RESETSTAT");
            here.lock();
            Thread waiter = new Thread(() -> {
                there.lock();
                there.unlock();
            });
            waiter.start();
            awaitQueueOf(2);
            here.unlock();
            waiter.join();

            assertThat(server.calls("evalsha")).isEqualTo(4);
        }
    }

    @Test
    void takenLock_manyWait_takesTwoScriptsEach() throws Exception {
        List<LockClient> others = Stream.generate(this::connect).limit(5).toList();
        server.call("CONFIG", "RESETSTAT");
        DistributedLock here = client.lock("taken");
        here.lock();
        List<Thread> waiters = new ArrayList<>();
        for (LockClient other : others) {
            DistributedLock there = other.lock("taken");
            Thread waiter = new Thread(() -> {
                there.lock();
                there.unlock();
            });
            waiters.add(waiter);
            waiter.start();
            awaitQueueOf(1 + waiters.size());
        }
        here.unlock();
        for (Thread waiter : waiters) {
            waiter.join();
        }

        assertThat(server.calls("evalsha")).isEqualTo(2L * (1 + others.size()));
        others.forEach(LockClient::close);
    }

    private void awaitQueueOf(int tickets) {
        await().until(() -> Long.valueOf(tickets).equals(server.call("ZCARD", queue("taken"))));
    }

    private static String queue(String name) {
        return new Keys("wellkeeper", Keys.SINGLE, false).of(name).queue(name);
    }
}
