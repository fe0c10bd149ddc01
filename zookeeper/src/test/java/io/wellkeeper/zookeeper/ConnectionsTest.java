package io.wellkeeper.zookeeper;

import static io.wellkeeper.zookeeper.Await.failure;
import static io.wellkeeper.zookeeper.Await.get;
import static io.wellkeeper.zookeeper.Requested.session;
import static io.wellkeeper.zookeeper.Requested.ticket;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.LockClient;
import io.wellkeeper.LockStoreException;
import io.wellkeeper.Registration;
import io.wellkeeper.spi.LeaseRequest;
import io.wellkeeper.spi.Mode;
import io.wellkeeper.spi.Notice;
import io.wellkeeper.spi.Place;
import io.wellkeeper.spi.Session;
import io.wellkeeper.spi.SessionLostException;
import io.wellkeeper.spi.SessionOptions;
import io.wellkeeper.spi.StoreUri;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketQueue;
import io.wellkeeper.spi.TicketRequest;
import io.wellkeeper.testservers.TcpProxy;
import io.wellkeeper.testservers.TcpProxy.Fate;
import io.wellkeeper.testservers.ZooKeeperProcess;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.curator.ensemble.fixed.FixedEnsembleProvider;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.NoAuthException;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@Tag("full")
@ExtendWith(SharedServer.class)
class ConnectionsTest {

    private static final String CANARY = "s3cret-canary";

    private final ZooKeeperProcess server;

    ConnectionsTest(ZooKeeperProcess server) {
        this.server = server;
    }

    @Test
    void open_nobodyListens_failsWithinTheSessionTimeoutAndNamesTheAddressOnly() throws Exception {
        int port;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = socket.getLocalPort();
        }
        try (ZooKeeperTicketStore store = ZooKeeperTicketStore.of(
                StoreUri.parse("zookeeper://user:" + CANARY + "@127.0.0.1:" + port + "/shop"))) {
            LockStoreException failure =
                    failure(store.open(new SessionOptions("x", Duration.ofMillis(300)), new Told()));

            assertThat(failure)
                    .hasMessageContaining("zookeeper://127.0.0.1:" + port + "/shop")
                    .hasMessageNotContaining(CANARY);
        }
    }

    @Test
    void open_storeClosed_fails() {
        ZooKeeperTicketStore store = ZooKeeperTicketStore.of(SharedServer.uri(server, ""));
        store.close();

        assertThat(failure(store.open(new SessionOptions("x", Duration.ofSeconds(5)), new Told())))
                .hasMessageContaining("closed");
    }

    @Test
    void take_chrootIsMissing_createsItAndStaysBelowIt() throws Exception {
        try (ZooKeeperTicketStore store =
                        ZooKeeperTicketStore.of(SharedServer.uri(server, "/shops/north/?root=/our/locks"));
                ZooKeeper admin = admin()) {
            Session session = session(store);
            get(session.queue("a/b").take(ticket()));

            assertThat(admin.getChildren("/shops/north/our/locks/locks/a/b.lock", false))
                    .hasSize(1);
            assertThat(get(session.names(""))).containsExactly("a/b");
        }
    }

    @Test
    void take_withDigest_keepsOthersOut() throws Exception {
        try (ZooKeeperTicketStore store = ZooKeeperTicketStore.of(
                        StoreUri.parse("zookeeper://anna:" + CANARY + "@" + server.address() + "?root=/annas"));
                ZooKeeperTicketStore again = ZooKeeperTicketStore.of(
                        StoreUri.parse("zookeeper://anna:" + CANARY + "@" + server.address() + "?root=/annas"));
                ZooKeeperTicketStore wrong = ZooKeeperTicketStore.of(
                        StoreUri.parse("zookeeper://anna:wrong@" + server.address() + "?root=/annas"));
                ZooKeeper admin = admin()) {
            Ticket ticket = get(session(store).queue("own").take(ticket())).ticket();
            String path = "/annas/locks/own.lock";

            assertThatThrownBy(() -> admin.getChildren("/annas", false)).isInstanceOf(NoAuthException.class);
            assertThatThrownBy(() -> admin.delete(path + "/" + ticket.id(), -1)).isInstanceOf(NoAuthException.class);
            Session intruder = session(wrong);
            assertThat(failure(intruder.queue("own").take(ticket())))
                    .hasMessageContaining("access rights")
                    .hasMessageContaining(path)
                    .hasMessageNotContaining("wrong");
            assertThat(failure(intruder.queue("new").take(ticket()))).hasMessageContaining("access rights");
            assertThat(failure(intruder.queue("own").tickets())).hasMessageContaining("access rights");
            assertThat(failure(intruder.queue("own").remove(ticket))).hasMessageContaining("access rights");
            assertThat(failure(intruder.queue("own").notice())).hasMessageContaining("access rights");
            assertThat(failure(intruder.queue("own").describe(ticket, ""))).hasMessageContaining("access rights");
            assertThat(failure(intruder.queue("new").post(new Notice("", 0), "x")))
                    .hasMessageContaining("access rights");
            assertThat(get(session(again).queue("own").tickets())).containsExactly(ticket);
        }
    }

    @Test
    void over_curatorWithNamespace_staysInItAndLeavesItOpen() throws Exception {
        try (CuratorFramework curator = curator("ours");
                ZooKeeper admin = admin()) {
            ZooKeeperTicketStore store = ZooKeeperTicketStore.over(curator);
            Session session = session(store);
            Place place = get(session.queue("a").take(ticket()));
            assertThat(admin.getChildren("/ours/wellkeeper/locks/a.lock", false))
                    .containsExactly(place.ticket().id());

            get(session.close());
            store.close();

            assertThat(curator.getZookeeperClient().isConnected()).isTrue();
            assertThat(admin.getChildren("/ours/wellkeeper/locks/a.lock", false))
                    .isEmpty();
            assertThat(curator.checkExists().forPath("/wellkeeper")).isNotNull();
        }
    }

    /** It tells nobody how its connection fares; its handle tells whoever has a watch. */
    @Test
    void over_curatorInAnotherNamespace_staysInItAndNoticesThatASessionHasEnded() throws Exception {
        try (CuratorFramework curator = curator("");
                ZooKeeper admin = admin()) {
            ZooKeeperTicketStore store = ZooKeeperTicketStore.over(curator.usingNamespace("another"));
            Told told = new Told();
            Session session = session(store, told);
            Place place = get(session.queue("a").take(ticket()));
            assertThat(admin.getChildren("/another/wellkeeper/locks/a.lock", false))
                    .containsExactly(place.ticket().id());
            curator.getZookeeperClient().getZooKeeper().getTestable().injectSessionExpiration();

            await().until(() -> told.all.contains("lost"));
            assertThat(failure(session.heartbeat())).isInstanceOf(SessionLostException.class);
            get(session(store).queue("b").take(ticket()));
            store.close();
        }
    }

    @Test
    void over_oneCuratorTwice_sessionsAreStrangersToEachOther() {
        try (CuratorFramework curator = curator("")) {
            Session a = session(ZooKeeperTicketStore.over(curator));
            Session b = session(ZooKeeperTicketStore.over(curator));
            Ticket first = get(a.queue("twice").take(ticket())).ticket();
            Told told = new Told();
            assertThat(get(a.queue("twice").alone(first, told))).isTrue();
            Place second = get(b.queue("twice").take(ticket()));

            assertThat(a.id()).isNotEqualTo(b.id());
            assertThat(second.ahead()).extracting(Ticket::session).containsExactly(a.id());
            await().untilAsserted(() -> assertThat(told.all).containsExactly("run"));
            get(a.close());
            get(b.heartbeat());
            assertThat(get(b.queue("twice").tickets())).containsExactly(second.ticket());
        }
    }

    @Test
    void onDeparture_twoSessionsOnOneConnection_closingOneLeavesTheOther() {
        try (CuratorFramework curator = curator("")) {
            Session a = session(ZooKeeperTicketStore.over(curator));
            Session b = session(ZooKeeperTicketStore.over(curator));
            Ticket ticket = get(a.queue("shared").take(ticket())).ticket();
            Told told = new Told();
            b.queue("shared").onDeparture(List.of(ticket), told);
            Registration other = a.queue("shared").onDeparture(List.of(ticket), new Told());
            get(a.heartbeat());
            other.close();
            get(a.heartbeat()); // the watch was taken back for both
            get(b.heartbeat()); // and is set again for one
            assertThat(server.watchCount()).isEqualTo(1);
            get(a.queue("shared").remove(ticket));

            await().untilAsserted(() -> assertThat(told.all).containsExactly("departed " + ticket.id()));
        }
    }

    /** As a program does that blocks in what it has bound to {@code orTimeout}, or the like. */
    @Test
    void remove_threadOfTheJdkForTimeoutsIsBlocked_isSentAllTheSame() throws Exception {
        CountDownLatch blocked = new CountDownLatch(1);
        CountDownLatch over = new CountDownLatch(1);
        try (ZooKeeperTicketStore store = ZooKeeperTicketStore.of(SharedServer.uri(server, ""));
                ZooKeeperTicketStore others = ZooKeeperTicketStore.of(SharedServer.uri(server, ""))) {
            Session session = session(store);
            Ticket ticket = get(session.queue("timer").take(ticket())).ticket();
            Told told = new Told();
            session(others).queue("timer").onDeparture(List.of(ticket), told);
            CompletableFuture<Void> timed = new CompletableFuture<>();
            timed.thenRun(() -> {
                blocked.countDown();
                awaitQuietly(over);
            });
            timed.completeOnTimeout(
                    null, 1, TimeUnit.MILLISECONDS); // not before, or this thread would be the one that waits
            assertThat(blocked.await(60, TimeUnit.SECONDS)).isTrue();
            session.queue("timer").remove(ticket);

            await().untilAsserted(() -> assertThat(told.all).containsExactly("departed " + ticket.id()));
        } finally {
            over.countDown();
        }
    }

    /** Curator goes on with another handle, and another thread, when a listener has kept the first one for two session timeouts. */
    @Test
    void lock_listenerOfTheGivenCuratorNeverReturns_isAcquiredByItsNextHandle() throws Exception {
        CountDownLatch over = new CountDownLatch(1);
        AtomicBoolean first = new AtomicBoolean(true);
        try (TcpProxy proxy = TcpProxy.framed(server.port());
                CuratorFramework curator =
                        CuratorFrameworkFactory.newClient(proxy.address(), 2_000, 2_000, new RetryOneTime(1))) {
            curator.start();
            try (LockClient client = LockClient.over(ZooKeeperTicketStore.over(curator))) {
                client.lock("listener").acquireAsync().get(60, TimeUnit.SECONDS).close();
                long session = curator.getZookeeperClient().getZooKeeper().getSessionId();
                curator.getCuratorListenable().addListener((c, event) -> {
                    WatchedEvent state = event.getWatchedEvent();
                    if (state != null && state.getState() == KeeperState.Disconnected && first.getAndSet(false)) {
                        awaitQuietly(over);
                    }
                });
                proxy.refuse(true);
                proxy.cut();
                await().atMost(Duration.ofSeconds(60))
                        .until(() -> curator.getZookeeperClient().getZooKeeper().getSessionId() != session);
                proxy.refuse(false);
                await().atMost(Duration.ofSeconds(60))
                        .until(() -> curator.getZookeeperClient().isConnected());

                client.lock("listener").acquireAsync().get(60, TimeUnit.SECONDS).close();
            } finally {
                over.countDown();
            }
        }
    }

    /** Whoever asks Curator for its handle, while that is not connected, has it ask the user's provider. */
    @Test
    void open_ensembleProviderOfTheGivenCuratorDoesNotReturn_failsInTimeAndIsPossibleLater() {
        CountDownLatch over = new CountDownLatch(1);
        AtomicBoolean slow = new AtomicBoolean();
        try (TcpProxy proxy = TcpProxy.framed(server.port());
                CuratorFramework curator = CuratorFrameworkFactory.builder()
                        .ensembleProvider(new FixedEnsembleProvider(proxy.address()) {
                            @Override
                            public String getConnectionString() {
                                if (slow.get()) {
                                    awaitQuietly(over);
                                }
                                return super.getConnectionString();
                            }
                        })
                        .retryPolicy(new RetryOneTime(100))
                        .ensembleTracker(false)
                        .build()) {
            proxy.refuse(true);
            curator.start();
            ZooKeeperTicketStore store = ZooKeeperTicketStore.over(curator);
            SessionOptions options = new SessionOptions("x", Duration.ofMillis(300));
            slow.set(true);
            try {
                CompletableFuture<CompletionStage<Session>> opening =
                        CompletableFuture.supplyAsync(() -> store.open(options, new Told()));

                assertThat(failure(get(opening))).hasMessageContaining("cannot reach");
            } finally {
                over.countDown();
            }
            proxy.refuse(false);
            await().until(() -> get(store.open(options, new Told()).handle((session, failure) -> failure == null)));
        }
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException nobodyDoes) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void over_plainHandle_worksAndStaysOpen() throws Exception {
        try (ZooKeeper zooKeeper = admin()) {
            ZooKeeperTicketStore store = ZooKeeperTicketStore.over(zooKeeper);
            Session session = session(store);
            Place place = get(session.queue("plain").take(ticket()));
            get(session.heartbeat());
            assertThat(place.ahead()).isEmpty();

            get(session.close());

            assertThat(zooKeeper.getState().isConnected()).isTrue();
            assertThat(zooKeeper.getChildren("/wellkeeper/locks/plain.lock", false))
                    .isEmpty();
        }
    }

    @Test
    void over_optionsWithAcl_areUsedForEveryNode() throws Exception {
        try (CuratorFramework curator = CuratorFrameworkFactory.builder()
                .connectString(server.address())
                .retryPolicy(new RetryOneTime(100))
                .authorization("digest", "bob:pw".getBytes(java.nio.charset.StandardCharsets.US_ASCII))
                .build()) {
            curator.start();
            ZooKeeperStoreOptions options =
                    ZooKeeperStoreOptions.defaults().root("/bobs").acl(ZooDefs.Ids.CREATOR_ALL_ACL);
            Session session = session(ZooKeeperTicketStore.over(curator, options));
            TicketRequest request = new TicketRequest("r", Mode.WRITE, 1, "");
            Ticket old = get(session.queue("d/own").take(request)).ticket();
            Ticket ticket = get(session.queue("d/own").replace(old, Mode.SHARED, 1));
            get(session.queue("e/notice").post(new Notice("", 0), "posted"));

            for (String path : List.of(
                    "/bobs",
                    "/bobs/locks",
                    "/bobs/locks/d",
                    "/bobs/locks/d/own.lock",
                    "/bobs/locks/d/own.lock/" + ticket.id(),
                    "/bobs/locks/e",
                    "/bobs/locks/e/notice.lock")) {
                assertThat(curator.getACL().forPath(path))
                        .singleElement()
                        .satisfies(acl -> assertThat(acl.getId().getId()).startsWith("bob:"));
            }
        }
    }

    @Test
    void close_takeOrReplaceIsUnderWayOnASharedConnection_leavesNoTicket() {
        Requests requests = new Requests();
        try (TcpProxy proxy = TcpProxy.framed(server.port());
                CuratorFramework curator = curator(proxy.address(), "")) {
            proxy.rule(requests);
            ZooKeeperTicketStore store = ZooKeeperTicketStore.over(curator);
            Session closing = session(store);
            Session other = session(store);
            get(other.queue("under-way").take(ticket()));
            requests.seen();
            proxy.swallowReplies(true);
            var answered = closing.queue("under-way").take(ticket());
            await().until(() -> requests.seen().contains("create"));
            var closed = closing.close();
            proxy.swallowReplies(false);
            assertThat(failure(answered)).hasMessageContaining("closed");
            get(closed);

            Session losing = session(store);
            requests.lose(Fate.LOSE_REPLY, "create", 1);
            var lost = losing.queue("under-way").take(ticket());
            losing.close();
            assertThat(failure(lost)).hasMessageContaining("closed");

            Session replacing = session(store);
            TicketQueue queue = replacing.queue("under-way");
            Ticket large = get(queue.take(new TicketRequest("large", Mode.EXCLUSIVE, 3, "")))
                    .ticket();
            requests.lose(Fate.LOSE_REPLY, "multi", 1);
            var replaced = queue.replace(large, Mode.EXCLUSIVE, 2);
            replacing.close();
            assertThat(failure(replaced)).hasMessageContaining("closed");

            await().untilAsserted(() -> assertThat(get(other.queue("under-way").tickets()))
                    .extracting(Ticket::session)
                    .containsExactly(other.id()));
        }
    }

    /** The connection lives on, and the ticket would with it. */
    @Test
    void close_removalIsUnderWayOnASharedConnection_isCarriedOutInTheEnd() {
        Requests requests = new Requests();
        try (TcpProxy proxy = TcpProxy.framed(server.port());
                CuratorFramework curator = curator(proxy.address(), "")) {
            proxy.rule(requests);
            ZooKeeperTicketStore store = ZooKeeperTicketStore.over(curator);
            Session closing = session(store);
            Ticket ticket = get(closing.queue("given-back").take(ticket())).ticket();
            requests.lose(Fate.LOSE_REQUEST, "delete", 1);
            var removed = closing.queue("given-back").remove(ticket);
            closing.close();
            assertThat(failure(removed)).hasMessageContaining("closed");

            Session other = session(store);
            await().untilAsserted(() ->
                    assertThat(get(other.queue("given-back").tickets())).isEmpty());
        }
    }

    /** The connection lives on, and the lease would with it. */
    @Test
    void close_simpleLocksOnASharedConnectionThatIsCut_endsTheLeasesInTheEnd() {
        try (TcpProxy proxy = TcpProxy.framed(server.port());
                CuratorFramework curator = curator(proxy.address(), "");
                ZooKeeperLeaseStore others =
                        ZooKeeperLeaseStore.of(StoreUri.parse("zookeeper-simple://" + server.address()))) {
            ZooKeeperLeaseStore closing = ZooKeeperLeaseStore.over(curator, ZooKeeperStoreOptions.defaults());
            LeaseRequest request = new LeaseRequest("given", "first", Duration.ofSeconds(10), "");
            assertThat(get(closing.tryAcquire(request))).isPresent();
            proxy.refuse(true);
            proxy.cut();
            closing.close();
            proxy.refuse(false);

            await().untilAsserted(() -> assertThat(
                            get(others.tryAcquire(new LeaseRequest("given", "second", Duration.ofSeconds(10), ""))))
                    .isPresent());
        }
    }

    /** The connection lives on, and the lease would with it. */
    @Test
    void close_simpleLockIsJustBeingTakenOnASharedConnection_leavesNoLease() {
        Requests requests = new Requests();
        try (TcpProxy proxy = TcpProxy.framed(server.port());
                CuratorFramework curator = curator(proxy.address(), "");
                ZooKeeperLeaseStore others =
                        ZooKeeperLeaseStore.of(StoreUri.parse("zookeeper-simple://" + server.address()))) {
            proxy.rule(requests);
            ZooKeeperLeaseStore closing = ZooKeeperLeaseStore.over(curator, ZooKeeperStoreOptions.defaults());
            get(closing.release(get(closing.tryAcquire(simple("warm", "first"))).orElseThrow()));
            requests.seen();
            proxy.swallowReplies(true);
            var answered = closing.tryAcquire(simple("answered-late", "first"));
            await().until(() -> requests.seen().contains("multi"));
            closing.close();
            proxy.swallowReplies(false);
            get(answered.handle((lease, failure) -> true));

            await().untilAsserted(() -> assertThat(get(others.tryAcquire(simple("answered-late", "second"))))
                    .isPresent());

            ZooKeeperLeaseStore losing = ZooKeeperLeaseStore.over(curator, ZooKeeperStoreOptions.defaults());
            get(losing.release(get(losing.tryAcquire(simple("warm", "first"))).orElseThrow()));
            requests.lose(Fate.LOSE_REPLY, "multi", 1);
            var lost = losing.tryAcquire(simple("reply-lost", "first"));
            losing.close();
            get(lost.handle((lease, failure) -> true));

            await().untilAsserted(() -> assertThat(get(others.tryAcquire(simple("reply-lost", "second"))))
                    .isPresent());
        }
    }

    private static LeaseRequest simple(String name, String owner) {
        return new LeaseRequest(name, owner, Duration.ofSeconds(10), "");
    }

    @Test
    void take_behindVeryManyOthers_readsTheLongList() throws Exception {
        int many = 18_000;
        try (ZooKeeperTicketStore store = ZooKeeperTicketStore.of(SharedServer.uri(server, ""));
                ZooKeeper admin = admin()) {
            Session session = session(store);
            get(session.queue("long").take(ticket()));
            CountDownLatch created = new CountDownLatch(many);
            for (int i = 0; i < many; i++) {
                admin.create(
                        "/wellkeeper/locks/long.lock/1234567890123-" + "r".repeat(27) + (10_000 + i) + "-x1-",
                        new byte[0],
                        ZooDefs.Ids.OPEN_ACL_UNSAFE,
                        CreateMode.EPHEMERAL_SEQUENTIAL,
                        (code, path, context, name) -> created.countDown(),
                        null);
            }
            assertThat(created.await(60, TimeUnit.SECONDS)).isTrue();

            assertThat(get(session.queue("long").take(ticket())).ahead()).hasSize(many + 1);
        }
    }

    private CuratorFramework curator(String namespace) {
        return curator(server.address(), namespace);
    }

    private static CuratorFramework curator(String address, String namespace) {
        CuratorFramework curator = CuratorFrameworkFactory.builder()
                .connectString(address)
                .retryPolicy(new RetryOneTime(100))
                .ensembleTracker(false)
                .namespace(namespace)
                .build();
        curator.start();
        return curator;
    }

    private ZooKeeper admin() throws Exception {
        return new ZooKeeper(server.address(), 10_000, event -> {});
    }
}
