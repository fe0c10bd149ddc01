package io.wellkeeper.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.DistributedLock;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockOptions;
import io.wellkeeper.testkit.process.RedisProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What locks cost, counted by the server. */
class RequestCountTest {

    private static final int ROUNDS = 100;

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
        String key = new Keys("wellkeeper", Keys.SINGLE, false).of("taken").queue("taken");
        await().until(() -> Long.valueOf(tickets).equals(server.call("ZCARD", key)));
    }
}
