package io.wellkeeper.zookeeper;

import static io.wellkeeper.zookeeper.Await.failure;
import static io.wellkeeper.zookeeper.Await.get;
import static io.wellkeeper.zookeeper.Requested.session;
import static io.wellkeeper.zookeeper.Requested.ticket;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.spi.Place;
import io.wellkeeper.spi.Session;
import io.wellkeeper.spi.StoreUri;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.testservers.TcpProxy;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.apache.zookeeper.AsyncCallback.MultiCallback;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.server.NIOServerCnxnFactory;
import org.apache.zookeeper.server.ZooKeeperServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** With a server in this process, so that its counter can be set. */
class SequenceOverflowTest {

    private static final String QUEUE = "/wellkeeper/locks/x.lock";

    @TempDir
    private Path directory = Path.of("");

    private final NIOServerCnxnFactory factory = new NIOServerCnxnFactory();
    private ZooKeeperServer server = new ZooKeeperServer();
    private ZooKeeperTicketStore store = ZooKeeperTicketStore.of(StoreUri.parse("zookeeper://unused"));

    @BeforeAll
    static void changingTheTreeByHandIsAllowed() {
        System.setProperty("zookeeper.digest.enabled", "false");
    }

    @BeforeEach
    void start() throws Exception {
        server = new ZooKeeperServer(directory.toFile(), directory.toFile(), 500);
        factory.configure(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 10);
        factory.startup(server);
        store = ZooKeeperTicketStore.of(StoreUri.parse("zookeeper://127.0.0.1:" + factory.getLocalPort()));
    }

    @AfterEach
    void stop() {
        store.close();
        factory.shutdown();
    }

    /** Creates the queue, with a counter that gives this number next. */
    private void nextNumber(Session session, int number) throws Exception {
        Place place = get(session.queue("x").take(ticket()));
        get(session.queue("x").remove(place.ticket()));
        server.getZKDatabase()
                .getDataTree()
                .setCversionPzxid(QUEUE, number, server.getZKDatabase().getDataTreeLastProcessedZxid());
    }

    @Test
    void take_counterNearItsEnd_isRefusedAndTheCounterBeginsAnew() throws Exception {
        Session session = session(store);
        nextNumber(session, Integer.MAX_VALUE - 10);

        assertThat(failure(session.queue("x").take(ticket()))).hasMessageContaining("sequence counter of " + QUEUE);

        Place place = get(session.queue("x").take(ticket()));
        assertThat(place.ticket().number()).isZero();
        assertThat(place.ahead()).isEmpty();
    }

    @Test
    void take_counterStuckAtItsEnd_neverGivesTwoHolders() throws Exception {
        Session a = session(store);
        Session b = session(store);
        nextNumber(a, Integer.MAX_VALUE);
        var one = a.queue("x").take(ticket());
        var two = b.queue("x").take(ticket());
        var three = a.queue("x").take(ticket());

        long holders = java.util.stream.Stream.of(one, two, three)
                .map(taken -> get(taken.handle(
                        (place, failed) -> failed == null && place.ahead().isEmpty())))
                .filter(holds -> holds)
                .count();
        assertThat(holders).isLessThanOrEqualTo(1);
    }

    @Test
    void take_othersQueueAtTheEnd_isRefusedWhileTheyStay() throws Exception {
        Session a = session(store);
        Session b = session(store);
        nextNumber(a, Integer.MAX_VALUE - (1 << 16) + 1);
        Place last = get(a.queue("x").take(ticket()));
        assertThat(last.ticket().number()).isEqualTo((1L << 31) - (1 << 16));

        failure(b.queue("x").take(ticket()));
        failure(b.queue("x").take(ticket()));
        assertThat(get(b.queue("x").tickets())).containsExactly(last.ticket());
        assertThat(get(a.queue("x").remove(last.ticket()))).isTrue();

        assertThat(get(b.queue("x").take(ticket())).ticket().number()).isZero();
    }

    @Test
    void remove_numberAboveHalf_takesAnEmptyQueueAlongAndNoOther() throws Exception {
        Session session = session(store);
        nextNumber(session, (1 << 30) + 1);
        Place first = get(session.queue("x").take(ticket()));
        Place second = get(session.queue("x").take(ticket()));

        assertThat(get(session.queue("x").remove(first.ticket()))).isTrue();
        assertThat(get(session.queue("x").tickets())).containsExactly(second.ticket());
        assertThat(get(session.queue("x").remove(second.ticket()))).isTrue();
        assertThat(server.getZKDatabase().getNode(QUEUE)).isNull();
        assertThat(get(session.queue("x").remove(second.ticket()))).isFalse();

        Place next = get(session.queue("x").take(ticket()));
        assertThat(next.ticket().number()).isZero();
        assertThat(next.token()).isGreaterThan(second.token());
    }

    /** The handle answers what it is asked while it is being closed before it answers what it was asked earlier. */
    @Test
    void remove_numberAboveHalfAndTheHandleIsClosedMeanwhile_isAnswered() throws Exception {
        nextNumber(session(store), (1 << 30) + 1);
        Requests requests = new Requests();
        try (TcpProxy proxy = TcpProxy.framed(factory.getLocalPort());
                ClosingAfterMulti handle = new ClosingAfterMulti(proxy, requests)) {
            proxy.rule(requests);
            Session session = session(ZooKeeperTicketStore.over(handle));
            Ticket ticket = get(session.queue("x").take(ticket())).ticket();
            handle.armed = true;

            var removed = session.queue("x").remove(ticket);
            proxy.swallowReplies(false);

            assertThat(get(removed)).isTrue();
        }
    }

    /** A handle that is being closed once it has sent a transaction, which is not answered yet. */
    private static final class ClosingAfterMulti extends ZooKeeper {

        private final TcpProxy proxy;
        private final Requests requests;
        private volatile boolean armed;

        ClosingAfterMulti(TcpProxy proxy, Requests requests) throws IOException {
            super(proxy.address(), 10_000, event -> {});
            this.proxy = proxy;
            this.requests = requests;
        }

        @Override
        public void multi(Iterable<Op> operations, MultiCallback answer, Object context) {
            if (!armed) {
                super.multi(operations, answer, context);
                return;
            }
            armed = false;
            proxy.swallowReplies(true);
            super.multi(operations, answer, context);
            CompletableFuture.runAsync(() -> {
                try {
                    close();
                } catch (InterruptedException nobodyDoes) {
                    Thread.currentThread().interrupt();
                }
            });
            await().until(() -> requests.seen().contains("closeSession"));
        }
    }
}
