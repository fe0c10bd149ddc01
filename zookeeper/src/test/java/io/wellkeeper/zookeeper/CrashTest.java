package io.wellkeeper.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.wellkeeper.LockClient;
import io.wellkeeper.LockStoreException;
import io.wellkeeper.storekit.CrashContract;
import io.wellkeeper.testservers.ZooKeeperProcess;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Processes that die, and processes that only seem to; also a server. */
@Tag("full")
class CrashTest extends CrashContract {

    private static ZooKeeperProcess server;

    @BeforeAll
    static void startServer() {
        server = ZooKeeperProcess.start();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @Override
    protected String uri() {
        return "zookeeper://" + server.address();
    }

    @Test
    void tryLock_serverFrozen_comesBackWhenItsTimeHasPassed() throws Exception {
        try (ZooKeeperProcess frozen = ZooKeeperProcess.start();
                LockClient client = LockClient.connect("zookeeper://" + frozen.address())) {
            frozen.pause();
            try {
                CompletableFuture<Object> tried = CompletableFuture.supplyAsync(() -> {
                    try {
                        return client.lock("crash/frozen").tryLock(200, TimeUnit.MILLISECONDS);
                    } catch (InterruptedException | RuntimeException thrown) {
                        return thrown;
                    }
                });

                // long before the connection notices anything, which takes two thirds of the session timeout of 10 s
                assertThat(tried.get(5, TimeUnit.SECONDS)).isEqualTo(false);
                assertThatExceptionOfType(LockStoreException.class)
                        .isThrownBy(() -> client.lock("crash/frozen").tryLock())
                        .withMessageContaining(frozen.address());
            } finally {
                frozen.resume();
            }
        }
    }
}
