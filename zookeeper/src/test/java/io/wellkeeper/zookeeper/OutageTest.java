package io.wellkeeper.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.testkit.process.ZooKeeperProcess;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A server that is away for longer than a session lasts: when it is back, it gives every session that it knows of the whole
 * timeout once more.
 */
class OutageTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(8);
    private static final ClientOptions OPTIONS =
            ClientOptions.builder().sessionTimeout(TIMEOUT).build();

    private final ZooKeeperProcess server = ZooKeeperProcess.start();

    @AfterEach
    void close() {
        server.close();
    }

    /** ZooKeeper's client gives a session up by itself when it has heard nothing for four thirds of its timeout. */
    @ParameterizedTest
    @ValueSource(ints = {5, 7})
    void lock_serverWasAwayForLongerThanTheSession_isFreeLongBeforeTheOldSessionWouldHaveEnded(int quarters)
            throws Exception {
        try (LockClient client = LockClient.connect("zookeeper://" + server.address(), OPTIONS)) {
            assertIsFreeSoonAfterTheOutage(client, quarters);
        }
    }

    /** It gives its session up by itself, without a word to the server. */
    @Test
    void lock_curatorGivenAndServerWasAwayForLongerThanTheSession_isFreeLongBeforeTheOldSessionWouldHaveEnded()
            throws Exception {
        try (CuratorFramework curator = CuratorFrameworkFactory.newClient(
                server.address(), (int) TIMEOUT.toMillis(), 4_000, new RetryOneTime(1))) {
            curator.start();
            try (LockClient client = LockClient.over(ZooKeeperTicketStore.over(curator), OPTIONS)) {
                assertIsFreeSoonAfterTheOutage(client, 5);
            }
        }
    }

    private void assertIsFreeSoonAfterTheOutage(LockClient client, int quarters) throws Exception {
        LockHandle held = client.lock("outage").acquireAsync().get(30, TimeUnit.SECONDS);
        CompletableFuture<LockHandle> waiting = client.lock("outage").acquireAsync();
        server.kill();
        long over = System.nanoTime() + TIMEOUT.toNanos() / 4 * quarters;
        await().atMost(TIMEOUT.multipliedBy(3)).until(() -> !held.isHeld() && System.nanoTime() - over > 0);

        server.restart();
        long back = System.nanoTime();

        waiting.get(30, TimeUnit.SECONDS).close();
        client.lock("outage").acquireAsync().get(30, TimeUnit.SECONDS).close();
        assertThat(Duration.ofNanos(System.nanoTime() - back))
                .isLessThan(TIMEOUT.multipliedBy(3).dividedBy(4));
    }
}
