package io.wellkeeper.zookeeper;

import static io.wellkeeper.zookeeper.Await.get;
import static io.wellkeeper.zookeeper.Requested.session;
import static io.wellkeeper.zookeeper.Requested.ticket;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.LeaseClient;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockSource;
import io.wellkeeper.spi.Mode;
import io.wellkeeper.spi.Session;
import io.wellkeeper.spi.StoreUri;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketRequest;
import io.wellkeeper.testservers.TcpProxy;
import io.wellkeeper.testservers.ZooKeeperProcess;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A server that is away for longer than a session lasts: when it is back, it gives every session that it knows of the whole
 * timeout once more.
 */
@Tag("full")
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

    /** Nor does it have a handle that has seen what was after the backup which it was restored from. */
    @ParameterizedTest
    @ValueSource(strings = {"zookeeper", "zookeeper-simple"})
    void lock_serverComesBackWithoutItsData_isThereForTheSameClientAgain(String kind) throws Exception {
        Duration timeout = Duration.ofSeconds(2);
        ClientOptions options = ClientOptions.builder().sessionTimeout(timeout).build();
        String uri = kind + "://" + server.address();
        try (LockSource client =
                kind.equals("zookeeper") ? LockClient.connect(uri, options) : LeaseClient.connect(uri, options)) {
            LockHandle held = client.lock("empty").acquireAsync().get(60, TimeUnit.SECONDS);

            server.restartWithoutData();

            await().until(() -> !held.isHeld());
            client.lock("empty").acquireAsync().get(60, TimeUnit.SECONDS).close();
        }
    }

    @Test
    void open_sessionWasGivenUpWhileNothingWasUnderWay_removesItsTickets() {
        try (ZooKeeperTicketStore store = ZooKeeperTicketStore.of(SharedServer.uri(server, ""))) {
            Told told = new Told();
            get(session(store, told, TIMEOUT).queue("idle").take(ticket()));
            server.kill();

            assertAreEmptySoonAfterTheOutage(store, told, "idle");
        }
    }

    /** Whether there is a ticket, and which, the session has never heard. */
    @Test
    void open_sessionWasGivenUpWhileATicketWasTakenAndAnotherReplaced_removesThem() throws Exception {
        try (TcpProxy proxy = TcpProxy.framed(server.port());
                ZooKeeperTicketStore store = ZooKeeperTicketStore.of(
                        StoreUri.parse("zookeeper://" + proxy.address() + "," + server.address()));
                ZooKeeper admin = new ZooKeeper(server.address(), 10_000, event -> {})) {
            Told told = new Told();
            Session session = sessionBy(proxy, store, told);
            Ticket ticket = get(session.queue("replaced").take(new TicketRequest("r", Mode.EXCLUSIVE, 2, "")))
                    .ticket();
            proxy.swallowReplies(true);
            session.queue("taken").take(ticket());
            session.queue("replaced").replace(ticket, Mode.EXCLUSIVE, 1);
            await().until(() -> !children(admin, "taken").isEmpty()
                    && !children(admin, "replaced").contains(ticket.id()));
            admin.close();
            server.kill();
            proxy.close();

            assertAreEmptySoonAfterTheOutage(store, told, "taken", "replaced");
        }
    }

    /** Which server a handle asks first is a matter of chance. */
    private static Session sessionBy(TcpProxy proxy, ZooKeeperTicketStore store, Told told) {
        while (true) {
            Session session = session(store, told, TIMEOUT);
            if (proxy.connections() > 0) {
                return session;
            }
            get(session.close());
        }
    }

    private static List<String> children(ZooKeeper admin, String name) throws Exception {
        String queue = "/wellkeeper/locks/" + name + ".lock";
        return admin.exists(queue, false) == null ? List.of() : admin.getChildren(queue, false);
    }

    private void assertAreEmptySoonAfterTheOutage(ZooKeeperTicketStore store, Told told, String... names) {
        await().atMost(TIMEOUT.multipliedBy(3)).until(() -> told.all.contains("lost"));

        server.restart();
        long back = System.nanoTime();

        Session next = session(store);
        for (String name : names) {
            await().atMost(TIMEOUT.multipliedBy(3))
                    .until(() -> get(next.queue(name).tickets()).isEmpty());
        }
        assertThat(Duration.ofNanos(System.nanoTime() - back))
                .isLessThan(TIMEOUT.multipliedBy(3).dividedBy(4));
    }

    private void assertIsFreeSoonAfterTheOutage(LockClient client, int quarters) throws Exception {
        LockHandle held = client.lock("outage").acquireAsync().get(60, TimeUnit.SECONDS);
        CompletableFuture<LockHandle> waiting = client.lock("outage").acquireAsync();
        server.kill();
        long over = System.nanoTime() + TIMEOUT.toNanos() / 4 * quarters;
        await().atMost(TIMEOUT.multipliedBy(3)).until(() -> !held.isHeld() && System.nanoTime() - over > 0);

        server.restart();
        long back = System.nanoTime();

        waiting.get(60, TimeUnit.SECONDS).close();
        client.lock("outage").acquireAsync().get(60, TimeUnit.SECONDS).close();
        assertThat(Duration.ofNanos(System.nanoTime() - back))
                .isLessThan(TIMEOUT.multipliedBy(3).dividedBy(4));
    }
}
