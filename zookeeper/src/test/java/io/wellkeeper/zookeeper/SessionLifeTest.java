package io.wellkeeper.zookeeper;

import static io.wellkeeper.zookeeper.Await.failure;
import static io.wellkeeper.zookeeper.Await.get;
import static io.wellkeeper.zookeeper.Requested.session;
import static io.wellkeeper.zookeeper.Requested.ticket;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.spi.Place;
import io.wellkeeper.spi.Session;
import io.wellkeeper.spi.SessionLostException;
import io.wellkeeper.spi.StoreUri;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.testservers.TcpProxy;
import io.wellkeeper.testservers.TcpProxy.Fate;
import io.wellkeeper.testservers.ZooKeeperOptions;
import io.wellkeeper.testservers.ZooKeeperProcess;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** With a server of its own, because it is killed and paused. */
@Tag("full")
class SessionLifeTest {

    private static final Duration SHORT = Duration.ofSeconds(1);

    private final ZooKeeperProcess server = ZooKeeperProcess.start();
    private final TcpProxy proxy = TcpProxy.framed(server.port());
    private final ZooKeeperTicketStore store =
            ZooKeeperTicketStore.of(StoreUri.parse("zookeeper://" + proxy.address()));
    private final ZooKeeperTicketStore others = ZooKeeperTicketStore.of(SharedServer.uri(server, ""));
    private final Told told = new Told();

    @AfterEach
    void close() {
        store.close();
        others.close();
        proxy.close();
        server.close();
    }

    @Test
    void expiry_whileCutOff_departsAndIsToldOnceAndFailsEverything() {
        Session session = session(store, told, SHORT);
        Session other = session(others);
        Ticket ticket = get(session.queue("x").take(ticket())).ticket();
        Told departures = new Told();
        other.queue("x").onDeparture(List.of(ticket), departures);
        proxy.refuse(true);
        proxy.cut();
        await().atMost(Duration.ofSeconds(20))
                .untilAsserted(() -> assertThat(departures.all).containsExactly("departed " + ticket.id()));
        var pending = session.queue("x").take(ticket());
        proxy.refuse(false);

        assertThat(failure(pending)).isInstanceOf(SessionLostException.class);
        await().untilAsserted(() -> assertThat(told.all).containsExactly("suspect", "lost"));
        assertThat(failure(session.heartbeat())).isInstanceOf(SessionLostException.class);
        assertThat(failure(session.queue("x").remove(ticket))).isInstanceOf(SessionLostException.class);
        assertThat(failure(session.queue("x").tickets())).isInstanceOf(SessionLostException.class);
        assertThat(get(other.queue("x").tickets())).isEmpty();
        assertThat(told.all).containsExactly("suspect", "lost");
    }

    @Test
    void expiry_afterIt_theStoreOpensANewSession() {
        Session session = session(store, told, SHORT);
        ((ZooKeeperSession) session).link().zooKeeper().getTestable().injectSessionExpiration();
        await().untilAsserted(() -> assertThat(told.all).containsExactly("lost"));

        Session next = session(store);

        assertThat(next.id()).isNotEqualTo(session.id());
        assertThat(get(next.queue("y").take(ticket())).ahead()).isEmpty();
    }

    /** The server goes on with all of them, for nobody has told it. */
    @Test
    void expiry_ofASessionBeforeItHasRemovedWhatTheOneBeforeHad_theThirdRemovesIt() {
        Duration timeout = Duration.ofSeconds(40);
        Requests requests = new Requests();
        try (ZooKeeperProcess patient =
                        ZooKeeperProcess.start(ZooKeeperOptions.defaults().lines("maxSessionTimeout=60000"));
                TcpProxy way = TcpProxy.framed(patient.port());
                ZooKeeperTicketStore client = ZooKeeperTicketStore.of(StoreUri.parse("zookeeper://" + way.address()))) {
            way.rule(requests);
            Session first = session(client, told, timeout);
            get(first.queue("x").take(ticket()));
            expire(first);
            requests.lose(Fate.LOSE_REQUEST, "delete", Integer.MAX_VALUE);
            Session second = session(client, told, timeout);
            await().until(() -> requests.seen().contains("delete"));
            expire(second);
            requests.lose(Fate.FORWARD, "", 0);

            Session third = session(client, told, timeout);

            await().untilAsserted(
                            () -> assertThat(get(third.queue("x").tickets())).isEmpty());
        }
    }

    private void expire(Session session) {
        told.all.clear();
        ((ZooKeeperSession) session).link().zooKeeper().getTestable().injectSessionExpiration();
        await().until(() -> told.all.contains("lost"));
    }

    @Test
    void restart_ofTheServer_sessionAndTicketsSurviveAndTokensGrow() {
        Session session = session(store, told, Duration.ofSeconds(10));
        Place before = get(session.queue("x").take(ticket()));
        server.restart();
        await().atMost(Duration.ofMinutes(1))
                .untilAsserted(() -> assertThat(told.all).hasSizeGreaterThan(1).endsWith("live"));

        assertThat(told.all).doesNotContain("lost");
        Place after = get(session.queue("x").take(ticket()));

        assertThat(after.ahead()).containsExactly(before.ticket());
        assertThat(after.token()).isGreaterThan(before.token());
    }

    @Test
    void heartbeat_serverIsPaused_staysOpenAndFailsWhenTheConnectionIsGivenUp() {
        Session session = session(store, told, SHORT);
        get(session.heartbeat());
        server.pause();

        assertThat(failure(session.heartbeat())).hasMessageContaining("connection was lost");
        assertThat(told.all).containsExactly("suspect");
        server.resume();
    }

    @Test
    void heartbeat_connectionIsCut_isLiveAgainAfterReconnect() {
        Session session = session(store, told, Duration.ofSeconds(10));
        get(session.heartbeat());
        proxy.cut();
        await().until(() -> told.all.equals(List.of("suspect", "live")));

        get(session.heartbeat());
    }

    /** Where connections never last long enough for a second one to confirm the first. */
    @Test
    void heartbeat_connectionWasGoneForLong_isProofByItself() {
        Duration timeout = Duration.ofSeconds(8);
        Session session = session(store, told, timeout);
        get(session.heartbeat());
        proxy.refuse(true);
        proxy.cut();
        long tooLong = System.nanoTime() + timeout.toNanos() / 24 * 12;
        await().until(() -> System.nanoTime() - tooLong > 0);
        Requests requests = new Requests();
        proxy.rule(requests);
        proxy.refuse(false);
        await().until(() -> told.all.equals(List.of("suspect", "live")));

        get(session.heartbeat());

        assertThat(requests.seen()).containsOnlyOnce("sync");
    }

    @Test
    void over_plainHandle_noticesLossAndReturnByItsRequests() throws Exception {
        try (ZooKeeper zooKeeper = new ZooKeeper(proxy.address(), 10_000, event -> {})) {
            Session session = session(ZooKeeperTicketStore.over(zooKeeper), told, Duration.ofSeconds(10));
            proxy.refuse(true);
            proxy.cut();
            assertThat(failure(session.heartbeat())).hasMessageContaining("connection was lost");
            assertThat(told.all).containsExactly("suspect");
            proxy.refuse(false);
            await().until(() -> {
                session.heartbeat();
                return told.all.equals(List.of("suspect", "live"));
            });
        }
    }

    /** Whoever has no watch, and sends nothing, is told of nothing by such a handle. */
    @Test
    void over_plainHandle_isToldOfLossAndReturnWithoutAnyRequest() throws Exception {
        try (ZooKeeper zooKeeper = new ZooKeeper(proxy.address(), 10_000, event -> {})) {
            Session session = session(ZooKeeperTicketStore.over(zooKeeper), told, Duration.ofSeconds(10));
            get(session.heartbeat()); // what was sent before is answered by now
            for (int i = 1; i <= 2; i++) {
                proxy.cut();
                int cuts = i;
                await().until(() -> Collections.frequency(told.all, "live") == cuts);
            }
            assertThat(told.all).containsExactly("suspect", "live", "suspect", "live");
            await().until(() -> server.watchCount() == 1); // the handle sets it again after it has told

            get(session.close());

            await().until(() -> server.watchCount() == 0);
        }
    }
}
