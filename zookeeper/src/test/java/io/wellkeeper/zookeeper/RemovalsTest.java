package io.wellkeeper.zookeeper;

import static io.wellkeeper.zookeeper.Await.get;
import static io.wellkeeper.zookeeper.Requested.session;
import static io.wellkeeper.zookeeper.Requested.ticket;
import static java.util.Objects.requireNonNull;
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
import io.wellkeeper.zookeeper.Removals.Removal;
import io.wellkeeper.zookeeper.ZooKeeperSession.OwnTicket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.zookeeper.AsyncCallback.VoidCallback;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.extension.ExtendWith;

/** Removals that go out together with the next ticket. Here nothing is sent by time, so that it is known what is put off. */
@ExtendWith(SharedServer.class)
class RemovalsTest {

    private static final Duration AN_HOUR = Duration.ofHours(1);

    private final ZooKeeperProcess server;
    private final Requests requests = new Requests();
    private final TcpProxy proxy;
    private final ZooKeeperTicketStore store;
    private final ZooKeeperTicketStore others;
    private final ZooKeeperSession session;
    private final Session other;
    private final Link link;
    private final List<Code> answers = new CopyOnWriteArrayList<>();
    private String name = "";
    private TicketQueue queue;
    private TicketQueue otherQueue;

    RemovalsTest(ZooKeeperProcess server) {
        this.server = server;
        proxy = TcpProxy.framed(server.port());
        proxy.rule(requests);
        store = ZooKeeperTicketStore.of(StoreUri.parse("zookeeper://" + proxy.address()));
        others = ZooKeeperTicketStore.of(SharedServer.uri(server, ""));
        session = (ZooKeeperSession) session(store);
        other = session(others);
        link = session.link();
        queue = session.queue("");
        otherQueue = other.queue("");
    }

    @BeforeEach
    void queues(TestInfo test) {
        name = "removals/" + test.getDisplayName();
        queue = session.queue(name);
        otherQueue = other.queue(name);
        get(queue.remove(get(queue.take(ticket())).ticket()));
    }

    @AfterEach
    void close() {
        requests.lose(Fate.FORWARD, "", 0);
        get(session.close());
        store.close();
        others.close();
        proxy.close();
    }

    private Place take() {
        Place place = get(queue.take(ticket()));
        requests.seen();
        return place;
    }

    private OwnTicket putOff(String lock, Ticket ticket) {
        return putOff(session, lock, ticket);
    }

    private OwnTicket putOff(ZooKeeperSession of, String lock, Ticket ticket) {
        String node = of.link().site().path(lock) + '/' + ticket.id();
        OwnTicket given = requireNonNull(of.gives(node));
        of.link().removals().putOff(removal(node, AN_HOUR, given.sole()));
        return given;
    }

    private Removal removal(String node, Duration patience, OptionalLong sole) {
        return new Removal(node, patience, sole, code -> answers.add(Code.get(code)));
    }

    @Test
    void take_removalIsPutOff_takesItAlongInOneRequest() {
        Place first = take();
        putOff(name, first.ticket());

        Place second = get(queue.take(ticket()));

        assertThat(requests.seen()).containsExactly("multi");
        assertThat(answers).containsExactly(Code.OK);
        assertThat(second.ahead()).isEmpty();
        assertThat(second.ticket().number()).isEqualTo(first.ticket().number() + 1);
        assertThat(second.token()).isGreaterThan(first.token());
        assertThat(get(otherQueue.tickets())).containsExactly(second.ticket());
        putOff(name, second.ticket());
        Place third = get(queue.take(ticket()));
        assertThat(third.token()).isGreaterThan(second.token());
        Place fourth = get(otherQueue.take(ticket()));
        assertThat(fourth.token()).isGreaterThan(third.token());
        assertThat(fourth.ahead()).containsExactly(third.ticket());
        get(otherQueue.remove(fourth.ticket()));
    }

    /** What a transaction has created the handle tells by its path on the server. */
    @Test
    void take_givenHandleHasAChroot_findsItsTicketAndLeavesNoOther() throws Exception {
        try (ZooKeeper admin = new ZooKeeper(server.address(), 10_000, event -> {});
                ZooKeeper handle = new ZooKeeper(server.address() + "/removals", 10_000, event -> {})) {
            admin.create("/removals", new byte[0], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
            ZooKeeperSession given = (ZooKeeperSession) session(ZooKeeperTicketStore.over(handle));
            putOff(given, name, get(given.queue(name).take(ticket())).ticket());
            Place second = get(given.queue(name).take(ticket()));
            assertThat(get(given.queue(name).tickets())).containsExactly(second.ticket());
            putOff(given, name, second.ticket());

            Place elsewhere = get(given.queue(name + "/new").take(ticket()));

            assertThat(get(given.queue(name).tickets())).isEmpty();
            assertThat(get(given.queue(name + "/new").tickets())).containsExactly(elsewhere.ticket());
            get(given.close());
        }
    }

    @Test
    void take_removalThatGoesAlongFailsAndAnotherTakeFollows_areNumberedInTheOrderOfTheCalls() {
        Place gone = take();
        get(otherQueue.remove(gone.ticket()));
        putOff(name, gone.ticket());

        CompletionStage<Place> first = queue.take(ticket());
        CompletionStage<Place> second = queue.take(ticket());

        assertThat(get(first).ticket()).isLessThan(get(second).ticket());
        assertThat(get(otherQueue.tickets()))
                .containsExactly(get(first).ticket(), get(second).ticket());
        assertThat(get(second).ahead()).containsExactly(get(first).ticket());
        assertThat(get(second).token()).isGreaterThan(get(first).token());
    }

    @Test
    void take_somebodyWasInTheQueueMeanwhile_looksForOthers() {
        Place first = take();
        Ticket between = get(otherQueue.take(ticket())).ticket();
        get(otherQueue.remove(between));
        putOff(name, first.ticket());

        Place second = get(queue.take(ticket()));

        assertThat(requests.seen()).containsExactly("multi", "list");
        assertThat(second.ahead()).isEmpty();
        assertThat(second.ticket().number()).isEqualTo(between.number() + 1);
    }

    @Test
    void take_somebodyHasComeBehind_seesHimAlthoughItWasAlone() {
        Place first = take();
        putOff(name, first.ticket());
        Place alone = take();
        Place behind = get(otherQueue.take(ticket()));
        putOff(name, alone.ticket());

        Place again = get(queue.take(ticket()));

        assertThat(again.ahead()).containsExactly(behind.ticket());
        assertThat(again.token()).isGreaterThan(behind.token());
        get(otherQueue.remove(behind.ticket()));
    }

    @Test
    void take_removalsOfOtherLocksArePutOff_takesThemAlong() {
        for (int i = 0; i < 3; i++) {
            putOff(name + i, get(session.queue(name + i).take(ticket())).ticket());
        }
        requests.seen();

        Place place = get(queue.take(ticket()));

        assertThat(requests.seen()).containsExactly("multi", "list");
        assertThat(answers).containsExactly(Code.OK, Code.OK, Code.OK);
        assertThat(get(other.names("removals/"))).containsExactly(name);
        assertThat(get(otherQueue.tickets())).containsExactly(place.ticket());
    }

    @Test
    void take_nameNeverUsed_createsItsQueueInTheSameRequest() {
        Place first = take();
        putOff(name, first.ticket());

        Place second = get(session.queue(name + "new").take(ticket()));

        assertThat(requests.seen()).containsExactly("multi");
        assertThat(second.ahead()).isEmpty();
        assertThat(second.token()).isGreaterThan(first.token());
        assertThat(get(otherQueue.tickets())).isEmpty();
        assertThat(get(other.queue(name + "new").tickets())).containsExactly(second.ticket());
        assertThat(get(other.queue(name + "new").take(ticket())).token()).isGreaterThan(second.token());
    }

    @Test
    void take_namesThatOthersHaveUsed_triesToCreateTheirQueuesOnce() {
        List<Ticket> seen = List.of(
                get(other.queue(name + 1).take(ticket())).ticket(),
                get(other.queue(name + 2).take(ticket())).ticket());
        putOff(name, take().ticket());

        Place first = get(session.queue(name + 1).take(ticket()));

        assertThat(requests.seen())
                .startsWith("multi")
                .endsWith("createContainer", "create", "list")
                .contains("delete");
        assertThat(first.ahead()).containsExactly(seen.get(0));
        putOff(name + 1, first.ticket());
        Place second = get(session.queue(name + 2).take(ticket()));
        assertThat(requests.seen()).containsExactly("delete", "createContainer", "create", "list");
        assertThat(second.ahead()).containsExactly(seen.get(1));
        get(other.queue(name + 1).remove(seen.get(0)));
        get(other.queue(name + 2).remove(seen.get(1)));
    }

    @Test
    void take_somebodyIsInTheQueue_hasTheTokenFromTheListing() {
        Place first = take();
        Place ahead = get(otherQueue.take(ticket()));
        putOff(name, first.ticket());

        Place second = get(queue.take(ticket()));

        assertThat(requests.seen()).containsExactly("multi", "list");
        assertThat(second.ahead()).containsExactly(ahead.ticket());
        Place third = get(otherQueue.take(ticket()));
        assertThat(second.token()).isBetween(ahead.token() + 1, third.token() - 1);
        get(otherQueue.remove(ahead.ticket()));
        get(otherQueue.remove(third.ticket()));
    }

    @Test
    void take_somebodyIsInTheQueueAndLeavesBeforeTheListing_hasATokenBetweenTheOthers() {
        Place first = take();
        Place ahead = get(otherQueue.take(ticket()));
        putOff(name, first.ticket());
        requests.beforeListing(() -> {
            await().until(() -> get(otherQueue.tickets()).size() == 2 && !isThere(first));
            get(otherQueue.remove(ahead.ticket()));
        });

        Place second = get(queue.take(ticket()));

        assertThat(requests.seen()).containsExactly("multi", "list");
        assertThat(second.ahead()).isEmpty();
        Place third = get(otherQueue.take(ticket()));
        assertThat(second.token()).isBetween(ahead.token() + 1, third.token() - 1);
        get(otherQueue.remove(third.ticket()));
    }

    @Test
    void take_somebodyComesBeforeTheListing_looksAtItsOwnTicketForTheToken() {
        Place first = take();
        Place ahead = get(otherQueue.take(ticket()));
        putOff(name, first.ticket());
        List<Place> behind = new CopyOnWriteArrayList<>();
        requests.beforeListing(() -> {
            await().until(() -> get(otherQueue.tickets()).size() == 2 && !isThere(first));
            behind.add(get(otherQueue.take(ticket())));
        });

        Place second = get(queue.take(ticket()));

        assertThat(requests.seen()).containsExactly("multi", "list", "exists");
        assertThat(second.ahead()).containsExactly(ahead.ticket());
        assertThat(second.token()).isBetween(ahead.token() + 1, behind.get(0).token() - 1);
        get(otherQueue.remove(ahead.ticket()));
        get(otherQueue.remove(behind.get(0).ticket()));
    }

    private boolean isThere(Place place) {
        return get(otherQueue.tickets()).contains(place.ticket());
    }

    @Test
    void remove_othersAreAheadAndATakeFollowsEachTime_goesAlongWithIt() {
        Ticket ahead = get(otherQueue.take(ticket())).ticket();
        Place[] last = {take()};

        await().pollInterval(Duration.ofNanos(1)).until(() -> {
            queue.remove(last[0].ticket());
            last[0] = get(queue.take(ticket()));
            return requests.seen().equals(List.of("multi", "list")); // unless this thread was kept from it for too long
        });

        assertThat(get(otherQueue.tickets())).containsExactly(ahead, last[0].ticket());
        get(otherQueue.remove(ahead));
    }

    @Test
    void remove_othersWereAhead_isExpectedToBeFollowedByATakeOnlyIfTheLastOneWas() {
        Ticket ahead = get(otherQueue.take(ticket())).ticket();
        OwnTicket first = putOff(name, take().ticket());
        OwnTicket along = putOff(name, take().ticket());
        get(queue.tickets()); // sends the removal
        OwnTicket later = putOff(name, take().ticket());
        get(queue.tickets());

        assertThat(first.patience()).isZero();
        assertThat(along.patience()).isEqualTo(Removals.PATIENCE);
        assertThat(later.patience()).isZero();
        get(otherQueue.remove(ahead));
    }

    @Test
    void remove_wasAloneAndTheLastOneWasFollowed_isPutOffForLonger() {
        OwnTicket first = putOff(name, take().ticket());
        OwnTicket alone = putOff(name, take().ticket());
        Place place = take();
        Ticket behind = get(otherQueue.take(ticket())).ticket();
        putOff(name, place.ticket());
        OwnTicket notAlone = putOff(name, take().ticket());
        get(queue.tickets()); // sends the removal

        assertThat(first.patience()).isEqualTo(Removals.PATIENCE);
        assertThat(alone.patience()).isEqualTo(Removals.longer(AN_HOUR)).isLessThan(AN_HOUR);
        assertThat(Removals.longer(Removals.PATIENCE)).isEqualTo(Removals.PATIENCE.multipliedBy(2));
        assertThat(notAlone.patience()).isEqualTo(Removals.PATIENCE);
        get(otherQueue.remove(behind));
    }

    @Test
    void putOff_wentAlong_leavesTheNextOneItsTime() {
        List<Runnable> alarms = new ArrayList<>();
        Removals removals = new Removals(link.requests(), (delay, alarm) -> alarms.add(alarm));
        removals.putOff(removal("/first", AN_HOUR, OptionalLong.empty()));
        removals.sendWith(List.of(Op.check("/", -1)), (code, along, made) -> {});
        removals.putOff(removal("/second", Duration.ofHours(2), OptionalLong.empty()));
        await().untilAsserted(() -> assertThat(answers).containsExactly(Code.NONODE));
        requests.seen();

        assertThat(alarms).hasSize(1);
        alarms.get(0).run(); // that of the first
        assertThat(alarms).hasSize(2);
        removals.putOff(removal("/third", Duration.ofNanos(1), OptionalLong.empty()));
        assertThat(alarms).hasSize(3);
        alarms.get(1).run(); // which the last has replaced
        get(session.heartbeat());
        assertThat(requests.seen()).containsExactly("sync");

        alarms.get(2).run();
        await().untilAsserted(() -> assertThat(answers).hasSize(3));
        assertThat(requests.seen()).containsExactly("delete", "delete");
    }

    @Test
    void take_ticketPutOffIsGone_isTakenAllTheSame() {
        Ticket removed = take().ticket();
        Ticket elsewhere = get(session.queue(name + 2).take(ticket())).ticket();
        get(otherQueue.remove(removed));
        putOff(name, removed);
        putOff(name + 2, elsewhere);
        requests.seen();

        Place place = get(queue.take(ticket()));

        assertThat(requests.seen()).startsWith("multi").endsWith("create", "list");
        assertThat(answers).containsExactly(Code.NONODE, Code.OK);
        assertThat(get(otherQueue.tickets())).containsExactly(place.ticket());
        assertThat(get(other.queue(name + 2).tickets())).isEmpty();
    }

    @Test
    void take_replyIsLost_findsItsTicketAndLeavesTheRemovalInDoubt() {
        Place first = take();
        putOff(name, first.ticket());
        requests.lose(Fate.LOSE_REPLY, "multi", 1);

        Place second = get(queue.take(ticket()));

        assertThat(answers).containsExactly(Code.CONNECTIONLOSS);
        assertThat(requests.seen()).startsWith("multi").endsWith("multi", "list", "exists");
        assertThat(get(otherQueue.tickets())).containsExactly(second.ticket());
        assertThat(second.token()).isGreaterThan(first.token());
    }

    @Test
    void take_requestIsLost_isTakenAndLeavesTheRemovalInDoubt() {
        Ticket first = take().ticket();
        putOff(name, first);
        requests.lose(Fate.LOSE_REQUEST, "multi", 1);

        Place second = get(queue.take(ticket()));

        assertThat(answers).containsExactly(Code.CONNECTIONLOSS);
        assertThat(second.ahead()).containsExactly(first);
        get(queue.remove(first));
    }

    @Test
    void anyOtherRequest_removalIsPutOff_comesAfterIt() {
        putOff(name, take().ticket());

        assertThat(get(queue.tickets())).isEmpty();
        assertThat(requests.seen()).containsExactly("delete", "list");
        assertThat(answers).containsExactly(Code.OK);
    }

    /** As when that thread loses the processor in between. */
    @Test
    void anyOtherRequest_anotherThreadIsJustSendingWhatWasPutOff_comesAfterAllOfIt() throws Exception {
        List<String> sent = new CopyOnWriteArrayList<>();
        CompletableFuture<Void> sending = new CompletableFuture<>();
        CompletableFuture<Void> goOn = new CompletableFuture<>();
        CompletableFuture<Void> last = new CompletableFuture<>();
        try (ZooKeeper handle = new ZooKeeper(server.address(), 10_000, event -> {}) {
            @Override
            public void delete(String path, int version, VoidCallback answer, Object context) {
                sent.add(path);
                sending.complete(null);
                goOn.join();
                super.delete(path, version, answer, context);
            }

            @Override
            public void sync(String path, VoidCallback answer, Object context) {
                sent.add(path);
                super.sync(path, answer, context);
            }
        }) {
            RequestWindow window = new RequestWindow(handle, (code, at) -> {});
            Removals removals = new Removals(window, (delay, alarm) -> {});
            removals.putOff(removal("/first", AN_HOUR, OptionalLong.empty()));
            removals.putOff(removal("/second", AN_HOUR, OptionalLong.empty()));
            CompletableFuture<Void> other = CompletableFuture.runAsync(removals::send);
            get(sending);

            removals.send();
            window.sync("/third", (code, path, context) -> last.complete(null), null);
            goOn.complete(null);

            get(other);
            get(last);
            assertThat(sent).containsExactly("/first", "/second", "/third");
        }
    }

    @Test
    void close_removalIsPutOff_sendsIt() {
        ZooKeeperTicketStore closing = ZooKeeperTicketStore.of(StoreUri.parse("zookeeper://" + proxy.address()));
        ZooKeeperSession brief = (ZooKeeperSession) session(closing);
        Ticket ticket = get(brief.queue(name).take(ticket())).ticket();
        String node = link.site().path(name) + '/' + ticket.id();
        brief.link().removals().putOff(removal(node, AN_HOUR, OptionalLong.empty()));
        requests.seen();

        get(brief.close());

        assertThat(requests.seen()).containsExactly("delete", "closeSession");
        closing.close();
    }

    @Test
    void remove_notFollowedByATake_isSentAllTheSame() {
        Ticket ticket = take().ticket();

        CompletionStage<Boolean> removed = queue.remove(ticket);

        await().untilAsserted(() -> assertThat(requests.seen()).containsExactly("delete"));
        assertThat(get(removed)).isTrue();
    }

    @Test
    void send_handleIsClosedAndAnswersAtOnce_eachIsAnsweredOnce() throws Exception {
        ZooKeeper closed = new ZooKeeper(server.address(), 10_000, event -> {});
        closed.close(10_000);
        Removals removals = new Removals(new RequestWindow(closed, (code, sent) -> {}), (delay, alarm) -> {});
        for (String node : List.of("/first", "/second")) {
            removals.putOff(new Removal(node, AN_HOUR, OptionalLong.empty(), code -> {
                answers.add(Code.get(code));
                removals.send(); // as whoever sends something else does
            }));
        }

        removals.send();

        assertThat(answers).containsExactly(Code.SESSIONEXPIRED, Code.SESSIONEXPIRED);
    }
}
