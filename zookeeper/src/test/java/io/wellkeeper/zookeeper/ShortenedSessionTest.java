package io.wellkeeper.zookeeper;

import static io.wellkeeper.zookeeper.Await.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.LeaseClient;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockSource;
import io.wellkeeper.testservers.TcpProxy;
import io.wellkeeper.testservers.ZooKeeperOptions;
import io.wellkeeper.testservers.ZooKeeperProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A session is taken up again by a server whose {@code maxSessionTimeout} is less than what the session had. */
@Tag("full")
class ShortenedSessionTest {

    private static final ZooKeeperOptions HASTY = ZooKeeperOptions.defaults().tickMillis(50); // at most 1 s
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
