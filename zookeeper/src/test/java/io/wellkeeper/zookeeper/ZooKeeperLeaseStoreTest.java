package io.wellkeeper.zookeeper;

import static io.wellkeeper.zookeeper.Await.get;
import static io.wellkeeper.zookeeper.Requested.session;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.LeaseClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.Registration;
import io.wellkeeper.spi.Lease;
import io.wellkeeper.spi.LeaseRequest;
import io.wellkeeper.spi.StoreUri;
import io.wellkeeper.testservers.TcpProxy;
import io.wellkeeper.testservers.TcpProxy.Fate;
import io.wellkeeper.testservers.ZooKeeperProcess;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ZKClientConfig;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(SharedServer.class)
class ZooKeeperLeaseStoreTest {

    private static final Duration TTL = Duration.ofSeconds(8);

    private final ZooKeeperProcess server;
    private final Requests requests = new Requests();
    private final TcpProxy proxy;
    private final ZooKeeperLeaseStore a;
    private final ZooKeeperLeaseStore b;
    private String name = "";

    ZooKeeperLeaseStoreTest(ZooKeeperProcess server) {
        this.server = server;
        proxy = TcpProxy.framed(server.port());
        proxy.rule(requests);
        a = ZooKeeperLeaseStore.of(StoreUri.parse("zookeeper-simple://" + proxy.address()));
        b = ZooKeeperLeaseStore.of(StoreUri.parse("zookeeper-simple://" + server.address()));
    }

    @BeforeEach
    void name(TestInfo test) {
        name = "lease/" + test.getDisplayName();
    }

    @AfterEach
    void close() {
        a.close();
        b.close();
        await().atMost(Duration.ofSeconds(20)).until(() -> proxy.connections() == 0);
        proxy.close();
    }

    private LeaseRequest request(String owner) {
        return new LeaseRequest(name, owner, TTL, "somebody");
    }

    @Test
    void tryAcquire_takenThenReleased_passesOnWithALargerToken() {
        Lease first = get(a.tryAcquire(request("o1"))).orElseThrow();
        assertThat(get(b.tryAcquire(request("o2")))).isEmpty();
        assertThat(first.validity()).isEqualTo(Duration.ofSeconds(4));
        assertThat(get(a.renew(first, TTL))).isTrue();
        assertThat(get(a.release(first))).isTrue();
        assertThat(get(a.release(first))).isFalse();
        assertThat(get(a.renew(first, TTL))).isFalse();

        Lease second = get(b.tryAcquire(request("o2"))).orElseThrow();

        assertThat(second.token().orElseThrow()).isGreaterThan(first.token().orElseThrow());
        assertThat(get(a.release(first))).isFalse();
        assertThat(get(a.renew(first, TTL))).isFalse();
        assertThat(get(b.renew(second, TTL))).isTrue();
    }

    @Test
    void tryAcquire_repeatedByTheSameOwner_givesTheSameLease() {
        Lease first = get(a.tryAcquire(request("o1"))).orElseThrow();

        assertThat(get(a.tryAcquire(request("o1")))).contains(first);
        assertThat(get(a.tryAcquire(request("o")))).isEmpty();
        assertThat(get(b.tryAcquire(request("o1")))).isEmpty();
    }

    @Test
    void tryAcquire_replyIsLost_givesTheSameLeaseWhenRepeated() {
        get(a.release(get(a.tryAcquire(request("warm"))).orElseThrow()));
        requests.lose(Fate.LOSE_REPLY, "multi", 1);

        assertThat(Await.failure(a.tryAcquire(request("o1")))).hasMessageContaining("connection was lost");
        assertThat(get(b.tryAcquire(request("o2")))).isEmpty();
        Optional<Lease> again = get(a.tryAcquire(request("o1")));

        assertThat(again).isPresent();
    }

    @Test
    void release_failsAndIsNotAskedForAgain_leaseEndsByItself() {
        get(a.release(get(a.tryAcquire(request("warm"))).orElseThrow()));
        requests.lose(Fate.LOSE_REPLY, "multi", 1);
        Await.failure(a.tryAcquire(request("o1")));
        proxy.refuse(true);
        proxy.cut();
        Await.failure(a.release(new Lease(name, "o1", OptionalLong.empty(), Duration.ZERO)));

        proxy.refuse(false);

        await().until(() -> get(b.tryAcquire(request("o2"))).isPresent());
    }

    @Test
    void lock_afterAShortLease_isHeldForAsLongAsTheSessionTimeoutAllows() throws Exception {
        ClientOptions options = ClientOptions.builder().sessionTimeout(TTL).build();
        try (LeaseClient client = LeaseClient.connect("zookeeper-simple://" + server.address(), options)) {
            client.acquireLease(name, Duration.ofSeconds(1)).close();

            try (LockHandle held = client.lock(name).acquire()) {
                assertThat(held.remaining()).isGreaterThan(Duration.ofSeconds(1));
            }
        }
    }

    @Test
    void release_onlyOwnerIsKnown_endsTheLease() {
        get(a.tryAcquire(request("o1")));

        assertThat(get(a.release(new Lease(name, "o1", OptionalLong.empty(), Duration.ZERO))))
                .isTrue();
        assertThat(get(b.tryAcquire(request("o2")))).isPresent();
    }

    @Test
    void release_twiceAtOnce_onlyOneDidIt() {
        Lease lease = get(a.tryAcquire(request("o1"))).orElseThrow();
        var one = a.release(lease);
        var two = a.release(lease);

        assertThat(get(one)).isNotEqualTo(get(two));
    }

    @Test
    void renew_nodeWasDeletedAndTakenByAnother_isFalseAndReleaseTouchesNothing() throws Exception {
        Lease lease = get(a.tryAcquire(request("o1"))).orElseThrow();
        try (ZooKeeper admin = new ZooKeeper(server.address(), 10_000, event -> {})) {
            admin.delete(path(), -1);
        }
        Lease other = get(b.tryAcquire(request("o2"))).orElseThrow();

        assertThat(get(a.renew(lease, TTL))).isFalse();
        assertThat(get(a.release(lease))).isFalse();
        assertThat(get(b.renew(other, TTL))).isTrue();
    }

    @Test
    void renew_manyOtherRequestsWaitForTheirTurn_isSentAtOnce() {
        Lease lease = get(a.tryAcquire(request("o1"))).orElseThrow();
        proxy.swallowReplies(true);
        for (int i = 0; i < 2 * RequestWindow.SIZE; i++) {
            a.tryAcquire(new LeaseRequest(name + i, "o" + i, TTL, ""));
        }
        CompletionStage<Boolean> renewed = a.renew(lease, TTL);

        await().until(() -> requests.seen().contains("exists"));

        proxy.swallowReplies(false);
        assertThat(get(renewed)).isTrue();
    }

    @Test
    void onRelease_lockIsReleased_hintsUntilClosed() {
        Lease lease = get(a.tryAcquire(request("o1"))).orElseThrow();
        assertThat(get(b.tryAcquire(request("o2")))).isEmpty();
        Told told = new Told();
        Registration registration = b.onRelease(name, told);
        get(b.tryAcquire(request("o2"))); // the watch is set by now
        assertThat(told.all).isEmpty();
        get(a.release(lease));
        await().untilAsserted(() -> assertThat(told.all).isNotEmpty());

        get(a.tryAcquire(request("o3")));
        int before = told.all.size();
        get(a.release(new Lease(name, "o3", OptionalLong.empty(), TTL)));
        await().until(() -> told.all.size() > before);
        registration.close();
        get(b.release(new Lease(name, "none", OptionalLong.empty(), TTL)));
        assertThat(server.watchCount()).isZero();
    }

    /** The server keeps one watch for a node and a connection, and takes it back for all. */
    @Test
    void onRelease_anotherStoreOnTheConnectionWantsNoMoreHints_hintsOnlyTheOther() throws Exception {
        try (CuratorFramework curator = curator(new ZKClientConfig())) {
            ZooKeeperLeaseStore one = ZooKeeperLeaseStore.over(curator, ZooKeeperStoreOptions.defaults());
            ZooKeeperLeaseStore two = ZooKeeperLeaseStore.over(curator, ZooKeeperStoreOptions.defaults());
            Lease lease = get(b.tryAcquire(request("o1"))).orElseThrow();
            Told told = hinted(one);
            sync(two);
            two.onRelease(name, new Told()).close();
            sync(two);
            sync(one); // the watch was taken back for both, and is set again for one
            assertThat(told.all).isEmpty();

            get(b.release(lease));

            await().untilAsserted(() -> assertThat(told.all).isNotEmpty());
            one.close();
            two.close();
        }
    }

    @Test
    void onRelease_closedAfterItsStore_leavesNoWatchOnAGivenConnection() throws Exception {
        try (CuratorFramework curator = curator(new ZKClientConfig())) {
            ZooKeeperLeaseStore one = ZooKeeperLeaseStore.over(curator, ZooKeeperStoreOptions.defaults());
            get(b.tryAcquire(request("o1")));
            sync(one);
            Registration registration = one.onRelease(name, new Told());
            sync(one);
            assertThat(server.ask("wchp").lines()).contains(path());
            one.close();

            registration.close();

            await().until(() -> server.ask("wchp").lines().noneMatch(path()::equals));
        }
    }

    @Test
    void onRelease_handleDoesNotSetWatchesAgain_hintsAfterAReconnect() throws Exception {
        ZKClientConfig config = new ZKClientConfig();
        config.setProperty(ZKClientConfig.DISABLE_AUTO_WATCH_RESET, "true");
        try (CuratorFramework curator = curator(config)) {
            ZooKeeperLeaseStore one = ZooKeeperLeaseStore.over(curator, ZooKeeperStoreOptions.defaults());
            Lease lease = get(b.tryAcquire(request("o1"))).orElseThrow();
            Told told = hinted(one);
            proxy.cut();
            await().until(() -> !told.all.isEmpty()); // because nobody knows what happened meanwhile
            sync(one);
            int before = told.all.size();

            get(b.release(lease));

            await().untilAsserted(() -> assertThat(told.all).hasSizeGreaterThan(before));
            one.close();
        }
    }

    private CuratorFramework curator(ZKClientConfig config) {
        CuratorFramework curator = CuratorFrameworkFactory.builder()
                .connectString(proxy.address())
                .retryPolicy(new RetryOneTime(100))
                .zkClientConfig(config)
                .build();
        curator.start();
        return curator;
    }

    /** The node of the lock. */
    private String path() {
        return Site.of("", "", ZooKeeperStoreOptions.defaults(), "simple").path(name);
    }

    /** Is hinted from when this returns. */
    private Told hinted(ZooKeeperLeaseStore store) {
        Told told = new Told();
        sync(store);
        store.onRelease(name, told);
        sync(store);
        return told;
    }

    /** What was asked for before is answered when this returns. */
    private void sync(ZooKeeperLeaseStore store) {
        assertThat(get(store.tryAcquire(request("nobody")))).isEmpty();
    }

    @Test
    void onRelease_nobodyHasTheLock_hintsAtOnce() {
        get(b.tryAcquire(new LeaseRequest("lease/another", "o", TTL, "")));
        Told told = new Told();
        Registration registration = b.onRelease(name, told);

        await().untilAsserted(() -> assertThat(told.all).containsExactly("run"));
        registration.close();
        get(b.release(new Lease(name, "none", OptionalLong.empty(), TTL)));
        assertThat(server.watchCount()).isZero();
    }

    @Test
    void sessionEnds_leaseIsOverAndTheNextRequestBeginsANewSession() {
        Lease lease = get(a.tryAcquire(request("o1"))).orElseThrow();
        Told told = new Told();
        a.onRelease(name, told);
        expire();

        await().untilAsserted(() -> assertThat(told.all).isNotEmpty());
        assertThat(get(a.renew(lease, TTL))).isFalse();
        assertThat(get(a.release(lease))).isFalse();
        await().atMost(Duration.ofSeconds(20))
                .until(() -> get(a.tryAcquire(request("o4"))).isPresent());
    }

    @Test
    void tryAcquire_sameNameAsATicketLock_isAnotherLock() {
        ZooKeeperTicketStore tickets = ZooKeeperTicketStore.of(SharedServer.uri(server, ""));
        get(session(tickets).queue(name).take(Requested.ticket()));

        assertThat(get(a.tryAcquire(request("o1")))).isPresent();
        tickets.close();
    }

    private void expire() {
        a.currentLink().orElseThrow().zooKeeper().getTestable().injectSessionExpiration();
    }
}
