package io.wellkeeper.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.DistributedLock;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockOptions;
import io.wellkeeper.LockStoreException;
import io.wellkeeper.testservers.ZooKeeperOptions;
import io.wellkeeper.testservers.ZooKeeperProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** As a stranger would try to break it: many threads, many names, interrupts and timeouts; and then nothing is left. */
@Tag("full")
class StormTest {

    private static ZooKeeperProcess server;

    @BeforeAll
    static void startServer() {
        server = ZooKeeperProcess.start(REAPING_FAST);
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    /** Also the containers of the queues go, once the server has reaped them. */
    @AfterEach
    void nothingIsLeftBelowTheRoot() {
        Leftovers.awaitNone(server);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 16})
    void lock_thousandThreadsOnOneLock_allGetInOneByOne(int handOvers) throws Exception {
        Sections sections = new Sections();
        try (LockClient one = connect(handOvers);
                LockClient two = connect(handOvers)) {
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < 1_000; i++) {
                DistributedLock lock = (i % 2 == 0 ? one : two).lock("storm/thousand");
                threads.add(new Thread(() -> sections.run(lock, () -> {})));
            }
            threads.forEach(Thread::start);
            for (Thread thread : threads) {
                thread.join(TimeUnit.MINUTES.toMillis(2));
                assertThat(thread.isAlive()).isFalse();
            }
        }
        assertThat(sections.count()).isEqualTo(1_000);
        sections.assertExclusiveAndFenced();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 16})
    void lock_interruptsTimeoutsAndCancellations_leaveTheLockWorking(int handOvers) throws Exception {
        Sections sections = new Sections();
        AtomicInteger givenUp = new AtomicInteger();
        try (LockClient one = connect(handOvers);
                LockClient two = connect(handOvers)) {
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < 24; i++) {
                int seed = i;
                LockClient client = i % 2 == 0 ? one : two;
                threads.add(new Thread(() -> storm(client.lock("storm/one"), sections, givenUp, new Random(seed))));
            }
            threads.forEach(Thread::start);
            Random random = new Random(99);
            while (threads.stream().anyMatch(Thread::isAlive)) {
                threads.get(random.nextInt(threads.size())).interrupt();
                TimeUnit.MICROSECONDS.sleep(200);
            }
            one.lock("storm/one").lock();
            one.lock("storm/one").unlock();
        }
        assertThat(sections.count()).isGreaterThanOrEqualTo(24);
        assertThat(givenUp.get()).isPositive();
        sections.assertExclusiveAndFenced();
    }

    private static void storm(DistributedLock lock, Sections sections, AtomicInteger givenUp, Random random) {
        for (int round = 0; round < 60; round++) {
            boolean held = false;
            try {
                switch (random.nextInt(4)) {
                    case 0 -> {
                        lock.lockInterruptibly();
                        held = true;
                    }
                    case 1 -> held = lock.tryLock(random.nextInt(5_000), TimeUnit.MICROSECONDS);
                    case 2 -> held = lock.tryLock();
                    default -> {
                        CompletableFuture<LockHandle> soon = lock.acquireAsync();
                        soon.thenAccept(LockHandle::close);
                        if (random.nextBoolean()) {
                            soon.cancel(true);
                        }
                    }
                }
            } catch (InterruptedException interrupted) {
                givenUp.incrementAndGet();
            }
            if (held) {
                sections.stay(lock, () -> {});
                Sections.unlock(lock);
            } else {
                givenUp.incrementAndGet();
            }
        }
        sections.run(lock, () -> {}); // which no interrupt ends, however slow the server is
    }

    @Test
    void lock_tenThousandNames_areAllGivenBack() throws Exception {
        int names = 10_000;
        try (LockClient client = connect(16)) {
            CompletableFuture<?>[] closed = new CompletableFuture<?>[names];
            for (int i = 0; i < names; i++) {
                closed[i] = client.lock("storm/names/" + i % 100 + "/" + i)
                        .acquireAsync()
                        .thenAccept(LockHandle::close);
            }
            CompletableFuture.allOf(closed).get(2, TimeUnit.MINUTES);
            await().atMost(Duration.ofMinutes(1))
                    .ignoreExceptionsInstanceOf(LockStoreException.class) // a list of so many takes long
                    .untilAsserted(() ->
                            assertThat(client.admin().names("storm/names/")).isEmpty());
        }
    }

    /** With sessions as long as they are asked for: behind thousands of requests, a heartbeat waits for seconds. */
    private static final ZooKeeperOptions REAPING_FAST = ZooKeeperOptions.defaults()
            .tickMillis(2_000)
            .property("znode.container.checkIntervalMs", "300")
            .property("znode.container.maxPerMinute", "1000000");

    private static LockClient connect(int handOvers) {
        return LockClient.connect(
                "zookeeper://" + server.address(),
                ClientOptions.builder()
                        .sessionTimeout(Duration.ofSeconds(30))
                        .lockDefaults(LockOptions.builder().handOvers(handOvers).build())
                        .build());
    }
}
