package io.wellkeeper.zookeeper;

import static io.wellkeeper.zookeeper.Await.failure;
import static io.wellkeeper.zookeeper.Await.get;
import static io.wellkeeper.zookeeper.Requested.session;
import static io.wellkeeper.zookeeper.Requested.ticket;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.spi.LeaseRequest;
import io.wellkeeper.spi.Session;
import io.wellkeeper.spi.StoreUri;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.server.NIOServerCnxnFactory;
import org.apache.zookeeper.server.Request;
import org.apache.zookeeper.server.ZooKeeperServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server that carries out no changes for a while, and says so, because it has too much to do, or has lost the others. */
@Tag("full")
class RefusedEraTest {

    private static final int TRIES = 10;

    private final AtomicInteger deletions = new AtomicInteger();
    private final AtomicInteger heartbeats = new AtomicInteger();
    private final NIOServerCnxnFactory factory = new NIOServerCnxnFactory();

    RefusedEraTest(@TempDir Path directory) throws Exception {
        factory.configure(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 10);
        factory.startup(new ZooKeeperServer(directory.toFile(), directory.toFile(), 500) {
            @Override
            public void submitRequest(Request request) {
                boolean change = request.type == OpCode.multi || request.type == OpCode.delete;
                request.setIsThrottled(change);
                deletions.addAndGet(request.type == OpCode.delete ? 1 : 0);
                heartbeats.addAndGet(request.type == OpCode.sync ? 1 : 0);
                super.submitRequest(request);
            }
        });
    }

    @AfterEach
    void stop() {
        factory.shutdown();
    }

    /** It certainly has not made the node, so there is none to be taken back. */
    @Test
    void tryAcquire_eraIsRefused_leavesNothingThatIsAskedForAgainAndAgain() {
        try (ZooKeeperLeaseStore store =
                ZooKeeperLeaseStore.of(StoreUri.parse("zookeeper-simple://127.0.0.1:" + factory.getLocalPort()))) {
            for (int i = 0; i < TRIES; i++) {
                failure(store.tryAcquire(new LeaseRequest("refused", "o" + i, Duration.ofSeconds(8), "")));
            }
            int before = heartbeats.get();
            deletions.set(0);

            await().until(() -> heartbeats.get() >= before + 3);

            assertThat(deletions).hasValueLessThan(TRIES);
        }
    }

    /** As it is for as long as a server only reads. */
    @Test
    void close_deletionOfATicketIsRefusedAgainAndAgain_isAskedForLessOften() throws Exception {
        String address = "127.0.0.1:" + factory.getLocalPort();
        try (ZooKeeper handle = new ZooKeeper(address, 8_000, event -> {});
                ZooKeeperLeaseStore clock = ZooKeeperLeaseStore.of(StoreUri.parse("zookeeper-simple://" + address))) {
            Session closing = session(ZooKeeperTicketStore.over(handle));
            get(closing.queue("refused").take(ticket()));
            failure(clock.tryAcquire(new LeaseRequest("refused", "o", Duration.ofSeconds(8), "")));
            int before = heartbeats.get();

            closing.close();
            await().until(() -> heartbeats.get() >= before + 3);

            assertThat(deletions).hasValueBetween(1, 2 * TRIES);
        }
    }
}
