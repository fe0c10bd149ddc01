package io.wellkeeper.zookeeper;

import static io.wellkeeper.zookeeper.Await.failure;
import static io.wellkeeper.zookeeper.Await.get;
import static io.wellkeeper.zookeeper.Requested.session;
import static io.wellkeeper.zookeeper.Requested.ticket;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.Registration;
import io.wellkeeper.spi.Notice;
import io.wellkeeper.spi.Session;
import io.wellkeeper.spi.StoreUri;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketQueue;
import io.wellkeeper.testservers.TcpProxy;
import io.wellkeeper.testservers.TcpProxy.Fate;
import io.wellkeeper.testservers.ZooKeeperProcess;
import java.util.concurrent.CompletionStage;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ZKClientConfig;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.extension.ExtendWith;

/** What notices cost, and leave behind. */
@ExtendWith(SharedServer.class)
class NoticeTest {

    private final Requests requests = new Requests();
    private final ZooKeeperProcess server;
    private final TcpProxy proxy;
    private final ZooKeeperTicketStore store;
    private final ZooKeeperTicketStore others;
    private final Session session;
    private final Session other;
    private String name = "";
    private TicketQueue queue;
    private TicketQueue otherQueue;

    NoticeTest(ZooKeeperProcess server) {
        this.server = server;
        proxy = TcpProxy.framed(server.port());
        proxy.rule(requests);
        store = ZooKeeperTicketStore.of(StoreUri.parse("zookeeper://" + proxy.address()));
        others = ZooKeeperTicketStore.of(SharedServer.uri(server, ""));
        session = session(store);
        other = session(others);
        queue = session.queue("");
        otherQueue = other.queue("");
    }

    @BeforeEach
    void queues(TestInfo test) {
        name = "notice/" + test.getDisplayName();
        queue = session.queue(name);
        otherQueue = other.queue(name);
    }

    @AfterEach
    void close() {
        requests.lose(Fate.FORWARD, "", 0);
        get(session.close());
        store.close();
        others.close();
        proxy.close();
    }

    private static boolean post(TicketQueue queue, String text) {
        return get(queue.notice().thenCompose(seen -> queue.post(seen, text)));
    }

    private boolean nodeExists() throws Exception {
        try (ZooKeeper admin = new ZooKeeper(server.address(), 10_000, event -> {})) {
            return admin.exists(LockPaths.path("/wellkeeper/locks", name), false) != null;
        }
    }

    @Test
    void post_thenTakenDown_costsFewRequestsAndLeavesNothing() throws Exception {
        assertThat(post(queue, "first")).isTrue();
        requests.seen();

        assertThat(post(queue, "second")).isTrue();
        assertThat(requests.seen()).containsExactly("getData", "sync", "exists", "multi");
        assertThat(get(other.names("notice/"))).doesNotContain(name);
        assertThat(post(queue, "")).isTrue();
        assertThat(requests.seen()).containsExactly("getData", "sync", "exists", "multi");
        assertThat(nodeExists()).isFalse();
        assertThat(post(queue, "")).isTrue();
        assertThat(nodeExists()).isFalse();
    }

    @Test
    void post_takenDownWhereTicketsHadBeen_leavesTheNodeToTheReaper() throws Exception {
        get(queue.remove(get(queue.take(ticket())).ticket()));
        assertThat(post(otherQueue, "posted")).isTrue();
        assertThat(post(otherQueue, "")).isTrue();

        assertThat(get(queue.notice()).text()).isEmpty();
        assertThat(nodeExists()).isTrue();
    }

    @Test
    void post_takenDownWhileTheFirstTicketComes_leavesTheTicketAlone() {
        for (int i = 0; i < 50; i++) {
            TicketQueue mine = session.queue(name + i);
            TicketQueue theirs = other.queue(name + i);
            assertThat(post(mine, "posted")).isTrue();
            CompletionStage<Boolean> down = mine.notice().thenCompose(seen -> mine.post(seen, ""));
            Ticket ticket = get(theirs.take(ticket())).ticket();

            assertThat(get(down)).isTrue();
            assertThat(get(mine.tickets())).containsExactly(ticket);
            assertThat(get(mine.notice()).text()).isEmpty();
        }
    }

    @Test
    void post_replyIsLost_failsAndNobodyKnows() {
        assertThat(post(queue, "first")).isTrue();
        requests.lose(Fate.LOSE_REPLY, "multi", 1);

        Notice seen = get(queue.notice());
        assertThat(failure(queue.post(seen, "second"))).hasMessageContaining("connection was lost");
        await().untilAsserted(() -> assertThat(get(otherQueue.notice()).text()).isEqualTo("second"));
        assertThat(post(otherQueue, "")).isTrue();
    }

    /** Before anything that happened meanwhile is told: a ticket's departure may be told before the change of a notice. */
    @Test
    void onNotice_connectionIsLost_isToldAtOnce() {
        Told told = new Told();
        Registration watch = queue.onNotice(told);
        get(queue.notice());
        assertThat(told.all).isEmpty();

        proxy.refuse(true);
        proxy.cut();

        await().untilAsserted(() -> assertThat(told.all).isNotEmpty());
        proxy.refuse(false);
        await().ignoreExceptions().until(() -> get(queue.notice()).text().isEmpty());
        watch.close();
    }

    @Test
    void onNotice_twoOfOneSession_areOneWatchThatIsTakenBackWithTheLast() {
        Registration first = queue.onNotice(new Told());
        Registration second = session.queue(name).onNotice(new Told());
        get(session.heartbeat());
        assertThat(server.watchCount()).isEqualTo(1);
        first.close();
        first.close();
        get(session.heartbeat());
        assertThat(server.watchCount()).isEqualTo(1);

        second.close();
        get(session.heartbeat());

        assertThat(server.watchCount()).isZero();
    }

    @Test
    void onNotice_closed_leavesTheWaitForNewcomersAlone() {
        Ticket mine = get(queue.take(ticket())).ticket();
        Told arrived = new Told();
        assertThat(get(queue.alone(mine, arrived))).isTrue();
        queue.onNotice(new Told()).close();
        get(session.heartbeat());
        get(otherQueue.take(ticket()));

        await().untilAsserted(() -> assertThat(arrived.all).containsExactly("run"));
    }

    @Test
    void onNotice_armingIsLost_isArmedAgainAndTold() {
        requests.lose(Fate.LOSE_REQUEST, "exists", 1);
        Told told = new Told();
        queue.onNotice(told);

        await().untilAsserted(() -> assertThat(told.all).isNotEmpty());
        await().until(() -> server.watchCount() == 1);
        int before = told.all.size();
        assertThat(post(otherQueue, "posted")).isTrue();
        await().untilAsserted(() -> assertThat(told.all).hasSizeGreaterThan(before));
        assertThat(post(otherQueue, "")).isTrue();
    }

    @Test
    void onNotice_twoSessionsOnOneConnection_closingOneLeavesTheOther() throws Exception {
        try (ZooKeeper zooKeeper = new ZooKeeper(server.address(), 10_000, event -> {})) {
            Session a = session(ZooKeeperTicketStore.over(zooKeeper));
            Session b = session(ZooKeeperTicketStore.over(zooKeeper));
            Told told = new Told();
            b.queue(name).onNotice(told);
            a.queue(name).onNotice(new Told());
            get(a.heartbeat());
            get(a.close());
            await().untilAsserted(() -> assertThat(told.all).containsExactly("run"));
            assertThat(post(otherQueue, "posted")).isTrue();

            await().untilAsserted(() -> assertThat(told.all).containsExactly("run", "run"));
            assertThat(post(otherQueue, "")).isTrue();
            get(b.close());
            get(other.heartbeat());
            assertThat(server.watchCount()).isZero();
        }
    }

    @Test
    void onNotice_handleDoesNotSetWatchesAgain_isToldAfterReconnect() throws Exception {
        ZKClientConfig config = new ZKClientConfig();
        config.setProperty(ZKClientConfig.DISABLE_AUTO_WATCH_RESET, "true");
        try (ZooKeeper zooKeeper = new ZooKeeper(proxy.address(), 10_000, event -> {}, config)) {
            Session mine = session(ZooKeeperTicketStore.over(zooKeeper));
            Told told = new Told();
            mine.queue(name).onNotice(told);
            get(mine.heartbeat());
            proxy.cut();

            await().untilAsserted(() -> assertThat(told.all).isNotEmpty());
            await().until(() -> server.watchCount() == 2); // one of them only tells of the connection
            int before = told.all.size();
            assertThat(post(otherQueue, "posted")).isTrue();
            await().untilAsserted(() -> assertThat(told.all).hasSizeGreaterThan(before));
            assertThat(post(otherQueue, "")).isTrue();
        }
    }
}
