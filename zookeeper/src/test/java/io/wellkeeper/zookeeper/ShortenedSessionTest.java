package io.wellkeeper.zookeeper;

import static io.wellkeeper.zookeeper.Await.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.LeaseClient;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockSource;
import io.wellkeeper.spi.Lease;
import io.wellkeeper.spi.LeaseRequest;
import io.wellkeeper.spi.StoreUri;
import io.wellkeeper.testservers.TcpProxy;
import io.wellkeeper.testservers.ZooKeeperOptions;
import io.wellkeeper.testservers.ZooKeeperProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A session is taken up again by a server whose {@code maxSessionTimeout} is less than what the session had. */
@Tag("full")
class ShortenedSessionTest {

    private static final ZooKeeperOptions HASTY = ZooKeeperOptions.defaults().tickMillis(50); // at most 1 s
    private static final ZooKeeperOptions LESS = ZooKeeperOptions.defaults().tickMillis(300); // at most 6 s
    private static final ClientOptions OPTIONS =
            ClientOptions.builder().sessionTimeout(Duration.ofSeconds(10)).build();

    private final ZooKeeperProcess server = ZooKeeperProcess.start();
    private final TcpProxy proxy = TcpProxy.framed(server.port());
    private final Requests requests = new Requests();
    private final List<String> proofs = new ArrayList<>();

    @AfterEach
    void close() {
        proxy.close();
        server.close();
    }

    @Test
    void isHeld_serversKeepSessionsForLessTime_isFalseWhenAnotherIsLetIn() {
        try (LockClient cutOff = LockClient.connect("zookeeper://" + proxy.address(), OPTIONS);
                LockClient other = LockClient.connect("zookeeper://" + server.address(), OPTIONS)) {
            assertIsNotHeldByBoth(cutOff, other);
        }
    }

    @Test
    void isHeld_serversKeepSessionsOfAGivenHandleForLessTime_isFalseWhenAnotherIsLetIn() throws Exception {
        try (ZooKeeper handle = new ZooKeeper(proxy.address(), 10_000, event -> {});
                LockClient cutOff = LockClient.over(ZooKeeperTicketStore.over(handle), OPTIONS);
                LockClient other = LockClient.connect("zookeeper://" + server.address(), OPTIONS)) {
            assertIsNotHeldByBoth(cutOff, other);
        }
    }

    @Test
    void isHeld_serversKeepSessionsForLessTimeAndTheLockIsSimple_isFalseWhenAnotherIsLetIn() {
        try (LeaseClient cutOff = LeaseClient.connect("zookeeper-simple://" + proxy.address(), OPTIONS);
                LeaseClient other = LeaseClient.connect("zookeeper-simple://" + server.address(), OPTIONS)) {
            assertIsNotHeldByBoth(cutOff, other);
        }
    }

    /** The session that was shortened goes on, and the lease would with it. */
    @Test
    void release_serversKeepSessionsOfAGivenClientForLessTimeAndTheLockIsSimple_letsOthersIn() throws Exception {
        Duration ttl = Duration.ofSeconds(10);
        try (CuratorFramework curator = CuratorFrameworkFactory.builder()
                        .connectString(server.address())
                        .sessionTimeoutMs(10_000)
                        .connectionTimeoutMs(10_000)
                        .retryPolicy(new RetryOneTime(100))
                        .build();
                ZooKeeperLeaseStore store = over(curator);
                ZooKeeperLeaseStore others =
                        ZooKeeperLeaseStore.of(StoreUri.parse("zookeeper-simple://" + server.address()))) {
            Lease lease = get(store.tryAcquire(new LeaseRequest("short", "first", ttl, "")))
                    .orElseThrow();
            server.restart(LESS);
            await().atMost(Duration.ofSeconds(20))
                    .until(() -> get(store.renew(lease, ttl).exceptionally(failed -> true)), renewed -> !renewed);

            assertThat(get(store.release(lease))).isTrue();

            assertThat(get(others.tryAcquire(new LeaseRequest("short", "second", ttl, ""))))
                    .isPresent();
        }
    }

    private static ZooKeeperLeaseStore over(CuratorFramework curator) {
        curator.start();
        return ZooKeeperLeaseStore.over(curator, ZooKeeperStoreOptions.defaults());
    }

    private void assertIsNotHeldByBoth(LockSource cutOff, LockSource other) {
        LockHandle held = get(cutOff.lock("short").acquireAsync());
        proxy.rule(requests);
        server.restart(HASTY);
        await().atMost(Duration.ofSeconds(20)).until(() -> !held.isHeld() || hasProvedThatItLives());
        proxy.refuse(true);
        proxy.cut();

        get(other.lock("short").acquireAsync());

        assertThat(held.isHeld()).isFalse();
    }

    /** There is never more than one proof under way. */
    private boolean hasProvedThatItLives() {
        proofs.addAll(requests.seen().stream().filter("multi"::equals).toList());
        return proofs.size() > 1;
    }
}
