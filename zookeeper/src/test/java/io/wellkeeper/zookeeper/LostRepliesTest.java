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
import io.wellkeeper.spi.TicketQueue;
import io.wellkeeper.testservers.TcpProxy;
import io.wellkeeper.testservers.TcpProxy.Fate;
import io.wellkeeper.testservers.ZooKeeperProcess;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ZKClientConfig;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.extension.ExtendWith;

/** The connection breaks in the middle of something. */
@Tag("full")
@ExtendWith(SharedServer.class)
class LostRepliesTest {

    private final Requests requests = new Requests();
    private final Told told = new Told();
    private final TcpProxy proxy;
    private final ZooKeeperTicketStore store;
    private final ZooKeeperTicketStore others;
    private final Session session;
    private final Session other;
    private String name = "";
    private TicketQueue queue;
    private TicketQueue otherQueue;

    LostRepliesTest(ZooKeeperProcess server) {
        proxy = TcpProxy.framed(server.port());
        proxy.rule(requests);
        store = ZooKeeperTicketStore.of(StoreUri.parse("zookeeper://" + proxy.address()));
        others = ZooKeeperTicketStore.of(SharedServer.uri(server, ""));
        session = session(store, told);
        other = session(others);
        queue = session.queue("");
        otherQueue = other.queue("");
    }

    @BeforeEach
    void queueThatIsKnown(TestInfo test) {
        name = "lost/" + test.getDisplayName();
        queue = session.queue(name);
        otherQueue = other.queue(name);
        get(queue.remove(get(queue.take(ticket())).ticket()));
        requests.seen();
    }

    @AfterEach
    void close() {
        requests.lose(Fate.FORWARD, "", 0);
        get(session.close());
        store.close();
        others.close();
        proxy.close();
    }

    @Test
    void take_createReplyIsLost_isFoundAgainByTheWordOfAMajorityAndNotCreatedTwice() {
        requests.lose(Fate.LOSE_REPLY, "create", 1);

        Place place = get(queue.take(ticket()));

        assertThat(requests.seen())
                .startsWith("create")
                .endsWith("connect", "multi", "list", "exists")
                .containsOnlyOnce("create");
        assertThat(get(otherQueue.tickets())).containsExactly(place.ticket());
        assertThat(get(otherQueue.take(ticket())).token()).isGreaterThan(place.token());
        assertThat(told.all).containsExactly("suspect", "live");
    }

    @Test
    void take_createReplyIsLostWhileOthersQueue_seesWhoIsAhead() {
        Place ahead = get(otherQueue.take(ticket()));
        requests.lose(Fate.LOSE_REPLY, "create", 1);
        var taken = queue.take(ticket());
        await().until(() -> get(otherQueue.tickets()).size() == 2);
        get(otherQueue.take(ticket()));

        assertThat(get(taken).ahead()).containsExactly(ahead.ticket());
    }

    @Test
    void take_createRequestIsLost_isSentAgain() {
        requests.lose(Fate.LOSE_REQUEST, "create", 1);

        Place place = get(queue.take(ticket()));

        assertThat(requests.seen()).containsSubsequence("create", "connect", "multi", "list", "create", "list");
        assertThat(get(otherQueue.tickets())).containsExactly(place.ticket());
    }

    @Test
    void take_requestOfOneAmongManyIsLost_allAreNumberedInTheOrderOfTheCalls() {
        List<CompletionStage<Place>> places = new ArrayList<>();
        requests.lose(Fate.LOSE_REQUEST, "create", 1);
        for (int i = 0; i < 3 * RequestWindow.SIZE; i++) {
            places.add(queue.take(ticket()));
        }

        assertThat(tickets(places)).isSorted();
        assertThat(get(otherQueue.tickets())).isEqualTo(tickets(places));
    }

    @Test
    void take_replyOfOneAmongManyIsLost_allAreNumberedInTheOrderOfTheCalls() {
        List<CompletionStage<Place>> places = new ArrayList<>();
        for (int i = 0; i < 3 * RequestWindow.SIZE; i++) {
            if (i == RequestWindow.SIZE) {
                requests.lose(Fate.LOSE_REPLY, "create", 1);
            }
            places.add(queue.take(ticket()));
        }

        assertThat(tickets(places)).isSorted();
        assertThat(get(otherQueue.tickets())).isEqualTo(tickets(places));
    }

    private static List<Ticket> tickets(List<CompletionStage<Place>> places) {
        return places.stream().map(place -> get(place).ticket()).toList();
    }

    @Test
    void take_replyAndThenTheRecoveryIsLost_isStillFound() {
        requests.lose(Fate.LOSE_REPLY, "create", 1);
        var taken = queue.take(ticket());
        await().until(() -> get(otherQueue.tickets()).size() == 1);
        requests.lose(Fate.LOSE_REQUEST, "multi", 2);

        Place place = get(taken);

        assertThat(get(otherQueue.tickets())).containsExactly(place.ticket());
        assertThat(requests.seen()).containsOnlyOnce("create");
    }

    @Test
    void take_listIsLost_isListedAgain() {
        requests.lose(Fate.LOSE_REQUEST, "list", 1);

        Place place = get(queue.take(ticket()));

        assertThat(requests.seen())
                .containsSubsequence("create", "list", "connect", "list")
                .containsOnlyOnce("create");
        assertThat(get(otherQueue.tickets())).containsExactly(place.ticket());
    }

    @Test
    void take_sessionEndsBeforeTheReply_failsAndLeavesNothing() {
        proxy.swallow(true);
        var taken = queue.take(ticket());
        proxy.refuse(true);
        proxy.cut();
        proxy.swallow(false);
        ((ZooKeeperSession) session).link().zooKeeper().getTestable().injectSessionExpiration();

        assertThat(failure(taken)).isInstanceOf(io.wellkeeper.spi.SessionLostException.class);
        assertThat(told.all).endsWith("lost").containsOnlyOnce("lost");
        assertThat(get(otherQueue.tickets())).isEmpty();
    }

    @Test
    void remove_replyIsLost_failsAndMayBeRepeated() {
        Ticket ticket = get(queue.take(ticket())).ticket();
        requests.lose(Fate.LOSE_REPLY, "delete", 1);

        assertThat(failure(queue.remove(ticket))).hasMessageContaining("connection was lost");
        await().until(() -> get(otherQueue.tickets()).isEmpty());
        assertThat(get(session.queue("x").tickets())).isEmpty();
        assertThat(get(queue.remove(ticket))).isFalse();
    }

    @Test
    void onDeparture_ticketGoesWhileDisconnected_isToldAfterReconnect() {
        Ticket watched = get(otherQueue.take(ticket())).ticket();
        Told departures = new Told();
        queue.onDeparture(List.of(watched), departures);
        get(session.heartbeat());
        proxy.refuse(true);
        proxy.cut();
        await().until(() -> told.all.contains("suspect"));
        get(otherQueue.remove(watched));
        assertThat(departures.all).isEmpty();
        proxy.refuse(false);

        await().untilAsserted(() -> assertThat(departures.all).containsExactly("departed " + watched.id()));
        await().untilAsserted(() -> assertThat(told.all).containsExactly("suspect", "live"));
    }

    @Test
    void onDeparture_registeredWhileDisconnected_isArmedAfterReconnect() {
        Ticket watched = get(otherQueue.take(ticket())).ticket();
        proxy.refuse(true);
        proxy.cut();
        await().until(() -> told.all.contains("suspect"));
        Told departures = new Told();
        queue.onDeparture(List.of(watched), departures);
        proxy.refuse(false);
        await().until(() -> told.all.contains("live"));
        get(session.heartbeat());
        get(otherQueue.remove(watched));

        await().untilAsserted(() -> assertThat(departures.all).containsExactly("departed " + watched.id()));
    }

    @Test
    void alone_handleDoesNotSetWatchesAgain_isToldThatSomebodyMayHaveCome() throws Exception {
        ZKClientConfig config = new ZKClientConfig();
        config.setProperty(ZKClientConfig.DISABLE_AUTO_WATCH_RESET, "true");
        try (ZooKeeper handle = new ZooKeeper(proxy.address(), 10_000, event -> {}, config)) {
            Session mine = session(ZooKeeperTicketStore.over(handle));
            TicketQueue own = mine.queue(name);
            Ticket ticket = get(own.take(ticket())).ticket();
            Told arrivals = new Told();
            assertThat(get(own.alone(ticket, arrivals))).isTrue();
            proxy.cut();
            get(otherQueue.take(ticket()));

            await().untilAsserted(() -> assertThat(arrivals.all).containsExactly("run"));
            get(mine.close());
        }
    }
}
