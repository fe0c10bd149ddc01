package io.wellkeeper.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.DistributedLock;
import io.wellkeeper.LeaseClient;
import io.wellkeeper.LockOptions;
import io.wellkeeper.testservers.RedisProcess;
import io.wellkeeper.testservers.TcpProxy;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the simple locks cost, counted by the server. */
class SimpleRequestCountTest {

    private static final int ROUNDS = 100;

    private final RedisProcess server = RedisProcess.start();
    private final TcpProxy proxy = TcpProxy.of(server.port());

    private LeaseClient connect(String scheme, boolean awaitRelease) {
        return LeaseClient.connect(
                scheme + "://" + proxy.address(),
                ClientOptions.builder()
                        .sessionTimeout(Duration.ofMinutes(5))
                        .lockDefaults(
                                LockOptions.builder().awaitRelease(awaitRelease).build())
                        .build());
    }

    @AfterEach
    void close() {
        proxy.close();
        server.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"redis-simple", "redis-redisson"})
    void freeLock_lockAndUnlock_takesTwoScripts(String scheme) {
        try (LeaseClient client = connect(scheme, true)) {
            DistributedLock lock = client.lock("free");
            lock.lock();
            lock.unlock();
            server.call("CONFIG", "RESETSTAT");
            for (int i = 0; i < ROUNDS; i++) {
                lock.lock();
                lock.unlock();
            }

            assertThat(server.calls("evalsha")).isEqualTo(2L * ROUNDS);
            assertThat(server.calls("eval") + server.calls("script|load") + server.calls("subscribe"))
                    .isZero();
        }
    }

    @Test
    void unlock_serverIsSilent_returnsAllTheSame() {
        try (LeaseClient client = connect("redis-simple", false)) {
            DistributedLock lock = client.lock("free");
            lock.lock();
            server.call("CONFIG", "RESETSTAT");
            proxy.swallow(true);
            lock.unlock();
            assertThat(server.calls("evalsha")).isZero();

            proxy.swallow(false);
            Awaitility.await().until(() -> server.calls("evalsha") == 1);
        }
    }
}
