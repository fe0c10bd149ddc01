package io.wellkeeper.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.DistributedLock;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockOptions;
import io.wellkeeper.testservers.RedisProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A client asks for very many permits of one semaphore at once, and loses no lock that it has. */
class BurstTest {

    private static final int OF_ONE_NAME = Integer.getInteger("io.wellkeeper.redis.crowd", 300);

    private static final LockOptions OWN_NUMBERS =
            LockOptions.builder().handOvers(0).build();

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
            DistributedLock lock = client.lock("burst", OWN_NUMBERS);
            String queue =
                    new Keys("wellkeeper", Keys.SINGLE, false).of("burst").queue("burst");
            for (int i = 0; i < OF_ONE_NAME; i++) {
                lock.acquireAsync();
            }
            await().atMost(Duration.ofMinutes(5)).until(() -> {
                assertThat(lost).hasValue(0);
                return Long.valueOf(OF_ONE_NAME).equals(server.call("ZCARD", queue));
            });
            assertThat(held).allSatisfy(handle -> assertThat(handle.isHeld()).isTrue());
        }
    }

    /** It hangs up on those to whom it has more to say than it may keep for them. */
    @Test
    void acquireAsync_serverKeepsFewAnswers_allGetTheirTickets() throws Exception {
        try (RedisProcess server = RedisProcess.start("--client-output-buffer-limit", "pubsub 24kb 0 0");
                LockClient client = connect(server)) {
            DistributedLock lock = client.lock("burst", OWN_NUMBERS);
            String queue =
                    new Keys("wellkeeper", Keys.SINGLE, false).of("burst").queue("burst");
            for (int i = 0; i < OF_ONE_NAME; i++) {
                lock.acquireAsync();
            }
            await().atMost(Duration.ofMinutes(1))
                    .until(() -> Long.valueOf(OF_ONE_NAME).equals(server.call("ZCARD", queue)));
        }
    }
}
