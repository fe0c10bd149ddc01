package io.wellkeeper.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockStoreException;
import io.wellkeeper.testkit.process.RedisProcess;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is sent beside the scripts may be refused too: by a server that is not in charge any more. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RefusedCommandsTest {

    private static final String MOVED = "MOVED 1 127.0.0.1:1";

    private final RedisProcess server = RedisProcess.start();
    private final FaultProxy proxy = new FaultProxy(server.port());

    @AfterEach
    void close() {
        proxy.close();
        server.close();
    }

    private LockClient client(String parameters) {
        return LockClient.connect(
                "redis://" + proxy.address() + "?restartGuard=off" + parameters,
                ClientOptions.builder()
                        .sessionTimeout(Duration.ofMinutes(1))
                        .storeTimeout(Duration.ofSeconds(20))
                        .build());
    }

    /** Has a command refused once, or always. */
    private AtomicInteger refuse(String command, String error, boolean always) {
        AtomicInteger count = new AtomicInteger();
        proxy.rule(words -> {
            boolean hit = words.get(0).equalsIgnoreCase(command);
            return hit && (count.incrementAndGet() == 1 || always) ? error : FaultProxy.FORWARD;
        });
        return count;
    }

    @Test
    void connect_subscriptionIsRefusedByAServerNotInCharge_isTriedAgain() throws Exception {
        AtomicInteger tries = refuse("SUBSCRIBE", MOVED, false);

        try (LockClient client = client("")) {
            client.lock("l").acquire().close();
        }
        assertThat(tries).hasValue(2);
    }

    @Test
    void connect_subscriptionIsNotAllowed_failsAtOnce() {
        AtomicInteger tries = refuse("SUBSCRIBE", "NOPERM this user has no permissions to access a channel", true);

        assertThatExceptionOfType(LockStoreException.class)
                .isThrownBy(() -> client(""))
                .withMessageContaining("NOPERM");
        assertThat(tries).hasValue(1);
    }

    @Test
    void reconnect_subscriptionIsRefusedByAServerNotInCharge_isTriedAgain() throws Exception {
        try (LockClient client = client("");
                LockClient other = client("")) {
            client.lock("l").lock();
            var waiting = other.lock("l").acquireAsync();
            await().until(() -> client.inspect("l").waiters().size() == 1);
            AtomicInteger tries = refuse("SUBSCRIBE", MOVED, false);
            server.call("CLIENT", "KILL", "TYPE", "pubsub");
            await().until(() -> tries.get() >= 3);
            client.lock("l").unlock();

            waiting.get(60, TimeUnit.SECONDS).close();
        }
    }

    @Test
    void acquire_replicasAreAskedAtAServerNotInCharge_areAskedAnew() throws Exception {
        try (RedisProcess replica = RedisProcess.start("--replicaof", "127.0.0.1", Integer.toString(server.port()));
                LockClient client = client("&replicas=1&replicaTimeout=10s")) {
            await().until(() ->
                    server.info("replication").getOrDefault("slave0", "").contains("state=online"));
            client.lock("l").acquire().close();
            AtomicInteger tries = refuse("PEXPIRE", MOVED, false);

            client.lock("l").acquire().close();

            assertThat(tries).hasValue(2);
            assertThat(replica.call(
                            "EXISTS",
                            new Keys("wellkeeper", Keys.SINGLE, false).of("l").sequences()))
                    .isEqualTo(1L);
        }
    }

    @Test
    void await_watchOfTheNoticeIsRefusedOnce_isTriedAgain() throws Exception {
        try (LockClient client = client("");
                LockClient other = client("")) {
            other.latch("l").trySetCount(1);
            AtomicInteger tries = new AtomicInteger();
            proxy.rule(words ->
                    words.size() > 1 && words.get(1).equals(Script.HEED.digest()) && tries.incrementAndGet() == 1
                            ? "NOREPLICAS Not enough good replicas to write."
                            : FaultProxy.FORWARD);
            var open = client.latch("l").awaitAsync().toCompletableFuture();
            await().until(() -> tries.get() >= 2);
            other.latch("l").countDown();

            open.get(60, TimeUnit.SECONDS);
        }
    }

    @Test
    void connect_answerNeverComes_isTriedAgainOverAnotherConnection() throws Exception {
        CountDownLatch over = new CountDownLatch(1);
        AtomicInteger tries = new AtomicInteger();
        proxy.rule(words -> {
            if (words.get(0).equalsIgnoreCase("SUBSCRIBE") && tries.incrementAndGet() == 1) {
                neverPass(over);
            }
            return FaultProxy.FORWARD;
        });
        try (LockClient client = client("")) {
            client.lock("l").acquire().close();
        } finally {
            over.countDown();
        }
    }

    @Test
    void acquire_replicasAreAskedOverAConnectionThatIsDead_areAskedAnewOverAnother() throws Exception {
        CountDownLatch over = new CountDownLatch(1);
        try (RedisProcess replica = RedisProcess.start("--replicaof", "127.0.0.1", Integer.toString(server.port()));
                LockClient client = client("&replicas=1&replicaTimeout=2s")) {
            await().until(() ->
                    server.info("replication").getOrDefault("slave0", "").contains("state=online"));
            client.lock("l").acquire().close();
            AtomicInteger tries = new AtomicInteger();
            proxy.rule(words -> {
                if (words.get(0).equalsIgnoreCase("WAIT") && tries.incrementAndGet() == 1) {
                    neverPass(over);
                }
                return FaultProxy.FORWARD;
            });

            client.lock("l").acquireAsync().get(60, TimeUnit.SECONDS).close();
            assertThat(tries).hasValueGreaterThan(1);
        } finally {
            over.countDown();
        }
    }

    @Test
    void acquire_serverThatConfirmsDoesNotKnowTheTicket_holdsAnotherThatItKnows() throws Exception {
        String queue = new Keys("wellkeeper", Keys.SINGLE, false).of("l").queue("l");
        try (RedisProcess replica = RedisProcess.start("--replicaof", "127.0.0.1", Integer.toString(server.port()));
                LockClient client = client("&replicas=1&replicaTimeout=10s")) {
            await().until(() ->
                    server.info("replication").getOrDefault("slave0", "").contains("state=online"));
            AtomicInteger tries = new AtomicInteger();
            proxy.rule(words -> {
                if (!words.get(0).equalsIgnoreCase("PEXPIRE") || tries.incrementAndGet() > 1) {
                    return FaultProxy.FORWARD;
                }
                server.call("DEL", queue); // as if another were in charge, which had not heard of it
                return MOVED;
            });

            try (LockHandle held = client.lock("l").acquire()) {
                assertThat(server.call("ZCARD", queue)).isEqualTo(1L);
                held.checkHeld();
            }
        }
    }

    /** What this connection sends from now on arrives nowhere, and nobody says so. */
    private static void neverPass(CountDownLatch over) {
        try {
            over.await();
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
    }
}
