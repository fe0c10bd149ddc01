package io.wellkeeper.zookeeper;

import static io.wellkeeper.zookeeper.Await.failure;
import static io.wellkeeper.zookeeper.Await.get;
import static io.wellkeeper.zookeeper.Requested.session;
import static io.wellkeeper.zookeeper.Requested.ticket;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.Registration;
import io.wellkeeper.spi.Mode;
import io.wellkeeper.spi.Session;
import io.wellkeeper.spi.SessionLostException;
import io.wellkeeper.spi.StoreUri;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketInfo;
import io.wellkeeper.spi.TicketQueue;
import io.wellkeeper.spi.TicketRequest;
import io.wellkeeper.testservers.TcpProxy;
import io.wellkeeper.testservers.TcpProxy.Fate;
import io.wellkeeper.testservers.ZooKeeperProcess;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.extension.ExtendWith;

/** What a replacement costs, and what becomes of it when the connection breaks in its middle. */
@ExtendWith(SharedServer.class)
class ReplacementTest {

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

    ReplacementTest(ZooKeeperProcess server) {
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
        name = "replacement/" + test.getDisplayName();
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

    private Ticket take(Mode mode) {
        Ticket ticket = get(queue.take(new TicketRequest(ticket().id(), mode, 1, "mine")))
                .ticket();
        requests.seen();
        return ticket;
    }

    @Test
    void replace_watchedByItsOwner_costsOneRequestAndNoneToTakeTheWatchBack() {
        Ticket old = take(Mode.WRITE);
        Told told = new Told();
        Registration watch = queue.onDeparture(List.of(old), told);
        get(queue.tickets());
        requests.seen();

        Ticket milder = get(queue.replace(old, Mode.SHARED, 1));
        watch.close();
        get(queue.tickets());

        assertThat(requests.seen()).containsExactly("multi", "list");
        assertThat(told.all).containsExactly("departed " + old.id());
        assertThat(server.watchCount()).isZero();
        assertThat(get(otherQueue.inspect()))
                .singleElement()
                .returns(milder, TicketInfo::ticket)
                .returns("mine", TicketInfo::metadata);
    }

    @Test
    void describe_ownTicket_costsOneRequest() {
        Ticket mine = take(Mode.EXCLUSIVE);

        get(queue.describe(mine, "described"));

        assertThat(requests.seen()).containsExactly("setData");
    }

    @Test
    void replace_bySuccessors_takesTurnsWithThoseBehind() {
        Ticket write = get(queue.take(new TicketRequest(ticket().id(), Mode.WRITE, 2, "mine")))
                .ticket();
        Ticket behind = get(otherQueue.take(ticket())).ticket();
        Ticket one = get(queue.replace(write, Mode.WRITE, 1));
        Ticket shared = get(queue.replace(one, Mode.SHARED, 1));
        Ticket last = get(otherQueue.take(ticket())).ticket();

        assertThat(get(otherQueue.tickets())).containsExactly(shared, behind, last);
        assertThat(get(queue.remove(shared))).isTrue();
    }

    @Test
    void replace_asMildAsBefore_isTheSameTicketIfItLives() {
        Ticket mine = take(Mode.WRITE);

        assertThat(get(queue.replace(mine, Mode.WRITE, 1))).isEqualTo(mine);
        assertThat(get(otherQueue.tickets())).containsExactly(mine);
        assertThat(get(queue.alone(mine, () -> {}))).isTrue();
        get(otherQueue.remove(mine));
        assertThat(failure(queue.replace(mine, Mode.WRITE, 1))).hasMessageContaining("it is gone");
        assertThat(get(otherQueue.tickets())).isEmpty();
    }

    @Test
    void replace_replyIsLost_isSentAgainAndFoundDone() {
        Ticket old = take(Mode.WRITE);
        requests.lose(Fate.LOSE_REPLY, "multi", 1);

        Ticket milder = get(queue.replace(old, Mode.SHARED, 1));

        assertThat(requests.seen()).startsWith("multi").endsWith("multi").contains("connect");
        assertThat(get(otherQueue.tickets())).containsExactly(milder);
        assertThat(get(queue.replace(take(Mode.WRITE), Mode.SHARED, 1)).mode()).isEqualTo(Mode.SHARED);
    }

    @Test
    void replace_requestIsLost_isSentAgain() {
        Ticket old = take(Mode.WRITE);
        requests.lose(Fate.LOSE_REQUEST, "multi", 2);

        Ticket milder = get(queue.replace(old, Mode.SHARED, 1));

        assertThat(get(otherQueue.tickets())).containsExactly(milder);
    }

    @Test
    void replace_whileWaitingForNewcomersAndReplyIsLost_isStillTold() {
        Ticket old = take(Mode.WRITE);
        Told told = new Told();
        assertThat(get(queue.alone(old, told))).isTrue();
        requests.lose(Fate.LOSE_REPLY, "multi", 1);
        get(queue.replace(old, Mode.SHARED, 1));
        get(otherQueue.take(ticket()));

        await().untilAsserted(() -> assertThat(told.all).containsExactly("run"));
    }

    @Test
    void replace_removedMeanwhileAndReplyIsLost_fails() {
        Ticket old = take(Mode.WRITE);
        get(otherQueue.remove(old));
        requests.lose(Fate.LOSE_REPLY, "multi", 1);

        assertThat(failure(queue.replace(old, Mode.SHARED, 1))).hasMessageContaining("it is gone");
        assertThat(get(otherQueue.tickets())).isEmpty();
    }

    @Test
    void replace_sessionEndsBeforeTheReply_failsAndLeavesNothing() {
        Session brief = session(store, new Told(), Duration.ofSeconds(1));
        Ticket old = get(brief.queue(name).take(new TicketRequest("r", Mode.WRITE, 1, "")))
                .ticket();
        proxy.swallow(true);
        var replaced = brief.queue(name).replace(old, Mode.SHARED, 1);
        proxy.refuse(true);
        proxy.cut();
        proxy.swallow(false);
        ((ZooKeeperSession) brief).link().zooKeeper().getTestable().injectSessionExpiration();

        assertThat(failure(replaced)).isInstanceOf(SessionLostException.class);
        proxy.refuse(false);
        await().untilAsserted(() -> assertThat(get(otherQueue.tickets())).isEmpty());
    }
}
