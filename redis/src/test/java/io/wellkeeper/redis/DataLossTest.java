package io.wellkeeper.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockLostException;
import io.wellkeeper.testservers.RedisProcess;
import io.wellkeeper.testservers.TcpProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A server loses its data while one client holds a lock and another waits for it: the one who waits is not let in while the
 * one who held it may still believe to. {@code redis/soak} does so often.
 */
@Tag("full")
class DataLossTest {

    private static final int ROUNDS = Integer.getInteger("io.wellkeeper.redis.losses", 2); // of each test
    private static final int AT_ONCE = 8;
    private static final Duration SESSION = Duration.ofSeconds(2);

    private static LockClient connect(String address) {
        return LockClient.connect(
                "redis://" + address,
                ClientOptions.builder()
                        .sessionTimeout(SESSION)
                        .storeTimeout(Duration.ofMinutes(1)) // the machine may be slow
                        .build());
    }

    /** One server, again and again. */
    private static void rounds(int count, boolean cutOff, Consumer<RedisProcess> loss, List<String> overlaps)
            throws Exception {
        try (RedisProcess server = RedisProcess.start();
                TcpProxy proxy = TcpProxy.of(server.port());
                LockClient one = connect(proxy.address());
                LockClient other = connect(server.address())) {
            for (int round = 0; round < count; round++) {
                String name = "lost-" + round;
                LockHandle held = one.lock(name).acquire();
                CompletableFuture<Boolean> both = new CompletableFuture<>();
                CompletableFuture<LockHandle> next = other.lock(name).acquireAsync();
                next.whenComplete((handle, failure) -> both.complete(held.isHeld()));
                await().until(() -> other.admin().inspect(name).waiters().size() == 1);
                if (cutOff) {
                    proxy.refuse(true);
                    proxy.cut();
                }
                loss.accept(server);

                if (both.get(60, TimeUnit.SECONDS)) {
                    overlaps.add("round " + round + ", for " + TimeUnit.NANOSECONDS.toMillis(untilLost(held)) + " ms");
                }
                proxy.refuse(false);
                next.get().close();
                assertThatExceptionOfType(LockLostException.class).isThrownBy(held::close);
            }
        }
    }

    private static long untilLost(LockHandle held) {
        long since = System.nanoTime();
        CompletableFuture<Void> lost = new CompletableFuture<>();
        held.onLost(() -> lost.complete(null));
        lost.join();
        return System.nanoTime() - since;
    }

    private static void assertNeverTwo(boolean cutOff, Consumer<RedisProcess> loss) throws Exception {
        List<String> overlaps = new ArrayList<>();
        List<Future<List<String>>> all = new ArrayList<>();
        int servers = Math.min(AT_ONCE, ROUNDS);
        ExecutorService threads = Executors.newFixedThreadPool(servers);
        try {
            for (int i = 0; i < servers; i++) {
                int count = ROUNDS * (i + 1) / servers - ROUNDS * i / servers;
                all.add(threads.submit(() -> {
                    List<String> seen = new ArrayList<>();
                    rounds(count, cutOff, loss, seen);
                    return seen;
                }));
            }
            for (Future<List<String>> one : all) {
                overlaps.addAll(one.get());
            }
        } finally {
            threads.shutdown();
        }
        assertThat(overlaps).isEmpty();
    }

    @Test
    void restartWithoutData_holderIsCutOff_waiterComesAfterHim() throws Exception {
        assertNeverTwo(true, RedisProcess::restart);
    }

    @Test
    void restartWithoutData_holderReachesIt_waiterComesAfterHim() throws Exception {
        assertNeverTwo(false, RedisProcess::restart);
    }

    @Test
    void everythingIsFlushed_holderIsCutOff_waiterComesAfterHim() throws Exception {
        assertNeverTwo(true, server -> server.call("FLUSHALL"));
    }

    @Test
    void everythingIsFlushed_holderReachesIt_waiterComesAfterHim() throws Exception {
        assertNeverTwo(false, server -> server.call("FLUSHALL"));
    }
}
