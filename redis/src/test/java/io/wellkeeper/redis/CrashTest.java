package io.wellkeeper.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockStoreException;
import io.wellkeeper.storekit.CrashContract;
import io.wellkeeper.testservers.RedisProcess;
import io.wellkeeper.testservers.TcpProxy;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Processes that die, and processes that only seem to; also a server. */
@Tag("full")
class CrashTest extends CrashContract {

    private static final Duration SESSION = Duration.ofSeconds(3);

    private static RedisProcess server;

    @BeforeAll
    static void startServer() {
        server = RedisProcess.start();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @Override
    protected String uri() {
        return "redis://" + server.address() + "?restartGuard=off";
    }

    private static LockClient client(String address, String parameters) {
        return client(address, parameters, SESSION);
    }

    private static LockClient client(String address, String parameters, Duration session) {
        return LockClient.connect(
                "redis://" + address + parameters,
                ClientOptions.builder().sessionTimeout(session).build());
    }

    /** When the loss was announced, by {@link System#nanoTime}. */
    private static CompletableFuture<Long> lossOf(LockHandle handle) {
        CompletableFuture<Long> told = new CompletableFuture<>();
        handle.onLost(() -> told.complete(System.nanoTime()));
        return told;
    }

    private static long get(CompletableFuture<Long> future) throws Exception {
        return future.get(60, TimeUnit.SECONDS);
    }

    @Test
    void tryLock_serverFrozen_comesBackWhenItsTimeHasPassed() throws Exception {
        try (RedisProcess frozen = RedisProcess.start();
                LockClient client = client(frozen.address(), "?restartGuard=off")) {
            client.lock("crash/frozen").lock();
            client.lock("crash/frozen").unlock();
            frozen.pause();
            long start = System.nanoTime();

            assertThat(client.lock("crash/frozen").tryLock(200, TimeUnit.MILLISECONDS))
                    .isFalse();
            assertThat(Duration.ofNanos(System.nanoTime() - start))
                    .isBetween(Duration.ofMillis(200), Duration.ofSeconds(3));
            assertThatExceptionOfType(LockStoreException.class)
                    .isThrownBy(() -> client.lock("crash/frozen").tryLock())
                    .withMessageContaining(frozen.address());
            frozen.resume();
        }
    }

    @Test
    void onLost_serverFrozen_comesByTheLocalDeadline() throws Exception {
        try (RedisProcess frozen = RedisProcess.start();
                LockClient client = client(frozen.address(), "?restartGuard=off")) {
            LockHandle held = client.lock("crash/frozen").acquire();
            CompletableFuture<Long> told = lossOf(held);
            long start = System.nanoTime();
            frozen.pause();

            long after = get(told) - start;

            assertThat(Duration.ofNanos(after)).isBetween(Duration.ZERO, SESSION.plusSeconds(2));
            assertThat(held.isHeld()).isFalse();
            frozen.resume();
        }
    }

    @Test
    void onLost_serverRestartsWithoutItsData_comesBeforeAnybodyElseIsGranted() throws Exception {
        try (RedisProcess restarted = RedisProcess.start();
                TcpProxy proxy = TcpProxy.of(restarted.port());
                LockClient holder = client(proxy.address(), "?restartGuard=off")) {
            LockHandle held = holder.lock("crash/forgotten").acquire();
            CompletableFuture<Long> told = lossOf(held);
            long stale = held.fencingToken();
            proxy.refuse(true); // nobody can tell the holder: its clock has to
            proxy.cut();
            restarted.restart();

            try (LockClient other = client(restarted.address(), "");
                    LockHandle next = other.lock("crash/forgotten").acquire()) {
                long granted = System.nanoTime();

                assertThat(told).isCompleted();
                assertThat(get(told)).isLessThan(granted);
                assertThat(next.fencingToken()).isGreaterThan(stale);
            }
        }
    }

    @Test
    void onLost_serverRestartsWithoutItsData_comesAtOnceToThoseThatReachIt() throws Exception {
        Duration session = SESSION.multipliedBy(6);
        try (RedisProcess restarted = RedisProcess.start();
                LockClient holder = client(restarted.address(), "?restartGuard=off", session)) {
            LockHandle held = holder.lock("crash/forgotten").acquire();
            CompletableFuture<Long> told = lossOf(held);
            restarted.restart();
            long back = System.nanoTime();

            assertThat(Duration.ofNanos(get(told) - back)).isLessThan(session.dividedBy(4));
        }
    }

    @Test
    void onLost_ticketOrSessionDeleted_comesWithinTheTimeout() throws Exception {
        Keys.Partition keys = new Keys("wellkeeper", Keys.SINGLE, false).of("crash/deleted");
        for (String key : new String[] {keys.queue("crash/deleted"), keys.sessions()}) {
            try (LockClient client = client(server.address(), "?restartGuard=off")) {
                LockHandle held = client.lock("crash/deleted").acquire();
                CompletableFuture<Long> told = lossOf(held);
                long start = System.nanoTime();
                server.call("DEL", key);

                assertThat(Duration.ofNanos(get(told) - start)).as(key).isLessThan(SESSION.multipliedBy(2));
            }
        }
    }

    @Test
    void lockInterruptibly_interruptedHundredsOfTimes_leavesNoKey() throws Exception {
        try (RedisProcess own = RedisProcess.start();
                LockClient client = client(own.address(), "?restartGuard=off")) {
            for (int i = 0; i < 300; i++) {
                String name = "crash/interrupted/" + i;
                Thread thread = new Thread(() -> {
                    try {
                        client.lock(name).lockInterruptibly();
                        client.lock(name).unlock();
                    } catch (InterruptedException expected) {
                        // the point of it
                    }
                });
                thread.start();
                thread.interrupt();
                thread.join();
            }

            await().atMost(Duration.ofSeconds(15))
                    .untilAsserted(() -> assertThat(own.call("KEYS", "*interrupted*"))
                            .asInstanceOf(InstanceOfAssertFactories.LIST)
                            .isEmpty());
        }
    }
}
