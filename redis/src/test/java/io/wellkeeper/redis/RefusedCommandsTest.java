package io.wellkeeper.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockStoreException;
import io.wellkeeper.testkit.process.RedisProcess;
import java.time.Duration;
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

            waiting.get(20, TimeUnit.SECONDS).close();
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
}
