package io.wellkeeper.zookeeper;

import static io.wellkeeper.zookeeper.Await.get;
import static io.wellkeeper.zookeeper.Requested.session;
import static io.wellkeeper.zookeeper.Requested.ticket;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.Registration;
import io.wellkeeper.spi.Place;
import io.wellkeeper.spi.Session;
import io.wellkeeper.spi.StoreUri;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketQueue;
import io.wellkeeper.testservers.TcpProxy;
import io.wellkeeper.testservers.TcpProxy.Fate;
import io.wellkeeper.testservers.ZooKeeperProcess;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.apache.zookeeper.AsyncCallback.MultiCallback;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(SharedServer.class)
class RequestCountTest {

    private final Requests requests = new Requests();
    private final TcpProxy proxy;
    private final ZooKeeperTicketStore store;
    private final Session session;

    RequestCountTest(ZooKeeperProcess server) {
        proxy = TcpProxy.framed(server.port());
        proxy.rule(requests);
        store = ZooKeeperTicketStore.of(StoreUri.parse("zookeeper://" + proxy.address()));
        session = session(store);
    }

    @AfterEach
    void close() {
        get(session.close());
        store.close();
        proxy.close();
    }

    @Test
    void takeAndRemove_freeLockThatWasUsedLately_sendsThreeRequests() {
        use("count/known");
        requests.seen();
        for (int i = 0; i < 10; i++) {
            use("count/known");
        }

        List<String> expected = new ArrayList<>();
        Collections.nCopies(10, List.of("create", "list", "delete")).forEach(expected::addAll);
        assertThat(requests.seen()).isEqualTo(expected);
    }

    @Test
    void takeAndRemove_newNameInAKnownDirectory_sendsFourRequests() {
        use("count/first");
        requests.seen();
        use("count/second");

        assertThat(requests.seen()).containsExactly("createContainer", "create", "list", "delete");
    }

    @Test
    void take_freeLock_sendsEverythingBeforeTheFirstReply() {
        use("count/pipelined");
        requests.seen();
        proxy.swallowReplies(true);
        CompletionStage<Place> taken = session.queue("count/pipelined").take(ticket());
        List<String> sent = new ArrayList<>();
        await().until(() -> sent.addAll(requests.seen()) && sent.size() >= 2);
        assertThat(taken.toCompletableFuture()).isNotDone();
        proxy.swallowReplies(false);

        Place place = get(taken);

        sent.addAll(requests.seen());
        assertThat(sent).containsExactly("create", "list");
        get(session.queue("count/pipelined").remove(place.ticket()));
    }

    /** A transaction costs every server a write to its disk. */
    @Test
    void heartbeat_ticketIsHeldOrNot_sendsATransactionOrASync() {
        get(session.heartbeat());
        assertThat(requests.seen()).endsWith("sync");
        Place place = get(session.queue("count/held").take(ticket()));
        requests.seen();

        get(session.heartbeat());

        assertThat(requests.seen()).containsExactly("multi");
        get(session.queue("count/held").remove(place.ticket()));
        requests.seen();
        get(session.heartbeat());
        assertThat(requests.seen()).containsExactly("sync");
    }

    @Test
    void heartbeat_ticketIsBeingTaken_sendsATransaction() {
        requests.seen();
        proxy.swallowReplies(true);
        CompletionStage<Place> taken = session.queue("count/taken").take(ticket());
        CompletionStage<Void> heartbeat = session.heartbeat();
        proxy.swallowReplies(false);

        get(heartbeat);

        assertThat(requests.seen()).contains("multi").doesNotContain("sync");
        get(session.queue("count/taken").remove(get(taken).ticket()));
    }

    /** The client itself answers that the watch is gone; the server knows of the departure, and perhaps no other does. */
    @Test
    void tickets_connectionIsLostWhileAWatchIsTakenBack_areReadBehindATransaction(ZooKeeperProcess server) {
        assertReadBehindATransaction(session, server);
    }

    /** Nothing else tells that the connection was lost. */
    @Test
    void tickets_connectionOfAPlainHandleIsLostWhileAWatchIsTakenBack_areReadBehindATransaction(ZooKeeperProcess server)
            throws Exception {
        try (ZooKeeper handle = new ZooKeeper(proxy.address(), 10_000, event -> {})) {
            assertReadBehindATransaction(session(ZooKeeperTicketStore.over(handle)), server);
        }
    }

    private void assertReadBehindATransaction(Session session, ZooKeeperProcess server) {
        try (ZooKeeperTicketStore others = ZooKeeperTicketStore.of(SharedServer.uri(server, ""))) {
            TicketQueue queue = session.queue("count/departed");
            TicketQueue sameByOthers = session(others).queue("count/departed");
            Told told = new Told();
            Ticket first = get(sameByOthers.take(ticket())).ticket();
            Ticket mine = get(queue.take(ticket())).ticket();
            Registration watched = queue.onDeparture(List.of(first, mine), told);
            get(queue.tickets());
            get(sameByOthers.remove(first));
            await().until(() -> told.all.contains("departed " + first.id()));
            requests.lose(Fate.LOSE_REPLY, "removeWatches", 1);

            watched.close();

            assertThat(readAfterTheConnectionWasLost(queue)).containsExactly(mine);
            assertThat(requests.seen()).containsSubsequence("removeWatches", "connect", "multi", "list");
            get(queue.remove(mine));
        }
    }

    /** Once the connection is back, what happened meanwhile is told in any order. */
    @Test
    void onDeparture_connectionIsLostWhileAWatchIsTakenBack_isToldToNobodyWhoKnowsTheOldNotice(
            ZooKeeperProcess server) {
        try (ZooKeeperTicketStore others = ZooKeeperTicketStore.of(SharedServer.uri(server, ""))) {
            Session other = session(others);
            Ticket mine = get(session.queue("count/mine").take(ticket())).ticket();
            Registration watched = session.queue("count/mine").onDeparture(List.of(mine), new Told());
            Map<String, Ticket> first = new HashMap<>();
            List<NoticeReader> readers = new ArrayList<>();
            for (String name :
                    IntStream.range(0, 20).mapToObj(i -> "count/" + i).toList()) {
                first.put(name, get(other.queue(name).take(ticket())).ticket());
                post(other.queue(name), "old");
                NoticeReader reader = new NoticeReader(session.queue(name));
                readers.add(reader);
                session.queue(name).onNotice(reader);
                reader.read();
                session.queue(name).onDeparture(List.of(first.get(name)), reader);
                await().until(() -> reader.known().equals("old"));
            }
            get(session.queue("count/mine").tickets());
            requests.lose(Fate.LOSE_REPLY, "removeWatches", 1);

            proxy.refuse(true);
            watched.close();
            await().until(() -> proxy.connections() == 0);
            first.forEach((name, ticket) -> {
                post(other.queue(name), "new");
                get(other.queue(name).remove(ticket));
            });
            proxy.refuse(false);

            assertThat(readers).extracting(reader -> get(reader.atDeparture())).doesNotContain("old");
            get(session.queue("count/mine").remove(mine));
        }
    }

    private static void post(TicketQueue queue, String text) {
        boolean posted = get(queue.notice().thenCompose(seen -> queue.post(seen, text)));
        assertThat(posted).isTrue();
    }

    @Test
    void tickets_connectionWasLostAfterADeparture_ofManyNamesAreReadBehindOneTransaction(ZooKeeperProcess server) {
        try (ZooKeeperTicketStore others = ZooKeeperTicketStore.of(SharedServer.uri(server, ""))) {
            Told told = new Told();
            TicketQueue queue = session.queue("count/departed");
            Ticket first =
                    get(session(others).queue("count/departed").take(ticket())).ticket();
            queue.onDeparture(List.of(first), told);
            get(queue.tickets());
            others.close();
            await().until(() -> told.all.contains("departed " + first.id()));
            requests.seen();
            proxy.cut();
            await().until(() -> requests.seen().contains("connect"));
            await().until(this::isConnected);
            proxy.swallowReplies(true);
            List<CompletionStage<List<Ticket>>> read = new ArrayList<>();
            List<String> sent = new ArrayList<>();

            for (int i = 0; i < 20; i++) {
                read.add(session.queue("count/" + i).tickets());
            }
            await().until(() -> sent.addAll(requests.seen()) && Collections.frequency(sent, "list") == 20);
            proxy.swallowReplies(false);

            read.forEach(tickets -> assertThat(get(tickets)).isEmpty());
            assertThat(sent).containsOnlyOnce("multi").startsWith("multi");
        }
    }

    /** As a ticket of a user who keeps all others out. */
    @Test
    void onDeparture_ticketCannotBeRead_isAskedForLessAndLessOften(ZooKeeperProcess server) throws Exception {
        try (ZooKeeper owner = new ZooKeeper(server.address(), 10_000, event -> {})) {
            TicketQueue queue = session.queue("count/unreadable");
            get(queue.remove(get(queue.take(ticket())).ticket()));
            owner.addAuthInfo("digest", "anna:hidden".getBytes(StandardCharsets.US_ASCII));
            String node = owner.create(
                    "/wellkeeper/locks/count/unreadable.lock/annas-1-x1-",
                    new byte[0],
                    ZooDefs.Ids.CREATOR_ALL_ACL,
                    CreateMode.EPHEMERAL_SEQUENTIAL);
            Ticket unreadable = get(queue.tickets()).get(0);
            Told told = new Told();
            requests.seen();
            long begun = System.nanoTime();

            queue.onDeparture(List.of(unreadable), told);
            List<String> seen = new ArrayList<>();
            await().until(() -> seen.addAll(requests.seen()) && Collections.frequency(seen, "getData") >= 6);

            Duration inEqualPauses = Duration.ofMillis(5 * 50);
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isGreaterThan(inEqualPauses.multipliedBy(5));
            owner.delete(node, -1);
            await().until(() -> told.all.contains("departed " + unreadable.id()));
        }
    }

    /** As after an error in whatever runs on the thread of events. */
    @Test
    void tickets_answerToTheSharedTransactionGetsLost_areReadBehindAnotherOne(ZooKeeperProcess server)
            throws Exception {
        AtomicInteger losses = new AtomicInteger();
        try (ZooKeeper handle = new ZooKeeper(proxy.address(), 10_000, event -> {}) {
                    @Override
                    public void multi(Iterable<Op> operations, MultiCallback answer, Object context) {
                        boolean lost = losses.getAndUpdate(n -> Math.max(0, n - 1)) > 0;
                        super.multi(
                                operations,
                                lost
                                        ? (code, path, same, results) -> {
                                            throw new OutOfMemoryError("for the test");
                                        }
                                        : answer,
                                context);
                    }
                };
                ZooKeeperTicketStore others = ZooKeeperTicketStore.of(SharedServer.uri(server, ""))) {
            Told told = new Told();
            Session given = session(ZooKeeperTicketStore.over(handle));
            TicketQueue queue = given.queue("count/unanswered");
            Registration watched = watchTwo(queue, others, told);
            requests.lose(Fate.LOSE_REPLY, "removeWatches", 1);
            watched.close();
            losses.set(1);

            assertThat(readAfterTheConnectionWasLost(queue)).hasSize(1);
            assertThat(losses).hasValue(0);
            get(given.close());
        }
    }

    /** Of which one has departed. */
    private static Registration watchTwo(TicketQueue queue, ZooKeeperTicketStore others, Told told) {
        TicketQueue sameByOthers = session(others).queue("count/unanswered");
        Ticket first = get(sameByOthers.take(ticket())).ticket();
        Ticket mine = get(queue.take(ticket())).ticket();
        Registration watched = queue.onDeparture(List.of(first, mine), told);
        get(queue.tickets());
        get(sameByOthers.remove(first));
        await().until(() -> told.all.contains("departed " + first.id()));
        return watched;
    }

    private boolean isConnected() {
        return ((ZooKeeperSession) session).link().zooKeeper().getState().isConnected();
    }

    private static List<Ticket> readAfterTheConnectionWasLost(TicketQueue queue) {
        List<Ticket> read = new ArrayList<>();
        await().until(() -> get(queue.tickets().handle((tickets, failure) -> failure == null && read.addAll(tickets))));
        return read;
    }

    private void use(String name) {
        Place place = get(session.queue(name).take(ticket()));
        get(session.queue(name).remove(place.ticket()));
    }
}
