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
import io.wellkeeper.spi.Lease;
import io.wellkeeper.spi.LeaseRequest;
import io.wellkeeper.spi.Place;
import io.wellkeeper.spi.Session;
import io.wellkeeper.spi.SessionListener;
import io.wellkeeper.spi.StoreUri;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketQueue;
import io.wellkeeper.testservers.TcpProxy;
import io.wellkeeper.testservers.TcpProxy.Fate;
import io.wellkeeper.testservers.ZooKeeperEnsemble;
import io.wellkeeper.testservers.ZooKeeperOptions;
import io.wellkeeper.testservers.ZooKeeperProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A leader that has lost its followers, and has not noticed: for {@code syncLimit} it answers
 * whatever needs no majority, while the others have elected another leader, which ends the sessions of its clients.
 */
@Tag("full")
class DeposedLeaderTest {

    private static final ClientOptions OPTIONS =
            ClientOptions.builder().sessionTimeout(Duration.ofSeconds(2)).build();

    private static final ZooKeeperOptions SLOW_TO_NOTICE =
            ZooKeeperOptions.defaults().syncLimit(120); // ticks of half a second

    private static final ZooKeeperOptions SLOW_TO_NOTICE_AND_TO_END_SESSIONS =
            SLOW_TO_NOTICE.lines("maxSessionTimeout=60000");

    private static final Duration PLENTY = Duration.ofSeconds(120); // an election on a busy machine

    @Test
    void isHeld_holderIsConnectedToADeposedLeader_isFalseBeforeTheNextOneIsLetIn() throws Exception {
        assertNobodyIsInBeside("zookeeper://", uri -> LockClient.connect(uri, OPTIONS));
    }

    @Test
    void isHeld_holderOfASimpleLockIsConnectedToADeposedLeader_isFalseBeforeTheNextOneIsLetIn() throws Exception {
        assertNobodyIsInBeside("zookeeper-simple://", uri -> LeaseClient.connect(uri, OPTIONS));
    }

    private static void assertNobodyIsInBeside(String scheme, Function<String, ? extends LockSource> connect)
            throws Exception {
        try (ZooKeeperEnsemble ensemble = ZooKeeperEnsemble.startSeparable(SLOW_TO_NOTICE)) {
            ZooKeeperProcess leader = ensemble.leader();
            String followers =
                    ensemble.followers().stream().map(ZooKeeperProcess::address).collect(Collectors.joining(","));
            try (LockSource first = connect.apply(scheme + leader.address());
                    LockSource second = connect.apply(scheme + followers)) {
                LockHandle held = first.lock("deposed").acquireAsync().get(60, TimeUnit.SECONDS);
                CompletableFuture<Boolean> heldBeside =
                        second.lock("deposed").acquireAsync().thenApply(next -> held.isHeld());
                ensemble.separate(leader);

                assertThat(heldBeside.get(60, TimeUnit.SECONDS)).isFalse();
                assertThat(leader.mode()).as("what it takes itself for").contains("leader");
            }
        }
    }

    /** The reply was lost of a request that the next leader has carried out, and of which the deposed one knows nothing. */
    @Test
    void release_answerIsUnknownAndADeposedLeaderIsAsked_endsTheLeaseInTheEnd() {
        LeaseRequest request = request("unknown", "first");
        Requests atLeader = new Requests();
        Requests atFollower = new Requests();
        try (ZooKeeperEnsemble ensemble = ZooKeeperEnsemble.startSeparable(SLOW_TO_NOTICE_AND_TO_END_SESSIONS)) {
            ZooKeeperProcess leader = ensemble.leader();
            ZooKeeperProcess follower = ensemble.followers().get(0);
            try (TcpProxy toLeader = TcpProxy.framed(leader.port());
                    TcpProxy toFollower = TcpProxy.framed(follower.port());
                    ZooKeeperLeaseStore store = simple(toLeader.address() + "," + toFollower.address());
                    ZooKeeperLeaseStore others = simple(follower.address())) {
                toLeader.rule(atLeader);
                toFollower.rule(atFollower);
                toLeader.refuse(true);
                get(store.release(get(store.tryAcquire(request)).orElseThrow()));
                ensemble.separate(leader);
                await().atMost(PLENTY).until(() -> toFollower.connections() == 0);
                await().atMost(PLENTY).until(() -> follower.mode().isPresent());
                atFollower.seen();
                await().atMost(PLENTY).until(() -> atFollower.seen().contains("sync"));
                atFollower.lose(Fate.LOSE_REPLY, "multi", 1);
                get(store.tryAcquire(request).handle((lease, failure) -> {
                    toFollower.refuse(true);
                    toLeader.refuse(false);
                    return true;
                }));
                assertThat(atFollower.seen()).contains("multi");
                await().atMost(PLENTY).until(() -> atLeader.seen().contains("sync"));
                CompletionStage<Boolean> released = release(store, request);
                await().atMost(PLENTY)
                        .until(() -> released.toCompletableFuture().isDone()
                                || atLeader.seen().contains("multi"));
                assertThat(leader.mode()).as("what it takes itself for").contains("leader");
                toFollower.refuse(false);
                toLeader.refuse(true);
                toLeader.cut();
                if (get(released.handle((known, failure) -> failure != null))) {
                    await().atMost(PLENTY)
                            .until(() -> get(release(store, request).handle((known, failure) -> failure == null)));
                }

                assertThat(get(others.tryAcquire(request("unknown", "second")))).isPresent();
            }
        }
    }

    /** Between its answer and what follows upon it, the client is held up until it is connected to the others again. */
    @Test
    void take_answerIsLostAndADeposedLeaderIsAsked_isOneTicket() {
        Requests atLeader = new Requests();
        Requests atFollower = new Requests();
        HeldUp listener = new HeldUp();
        try (ZooKeeperEnsemble ensemble = ZooKeeperEnsemble.startSeparable(SLOW_TO_NOTICE_AND_TO_END_SESSIONS)) {
            ZooKeeperProcess leader = ensemble.leader();
            ZooKeeperProcess follower = ensemble.followers().get(0);
            try (TcpProxy toLeader = TcpProxy.framed(leader.port());
                    TcpProxy toFollower = TcpProxy.framed(follower.port());
                    ZooKeeperTicketStore store = fair(toLeader.address() + "," + toFollower.address());
                    ZooKeeperTicketStore others = fair(follower.address())) {
                toLeader.rule(atLeader);
                toFollower.rule(atFollower);
                toLeader.refuse(true);
                Session session = session(store, listener, Duration.ofSeconds(40));
                TicketQueue queue = session.queue("unknown");
                get(queue.remove(get(queue.take(ticket())).ticket()));
                ensemble.separate(leader);
                await().atMost(PLENTY).until(() -> toFollower.connections() == 0);
                await().atMost(PLENTY).until(() -> follower.mode().isPresent());
                await().atMost(PLENTY)
                        .until(() -> get(session.heartbeat().handle((proved, failure) -> failure == null)));
                listener.holdUp();
                atFollower.lose(Fate.LOSE_REPLY, "create", 1);
                toFollower.refuse(true);
                toLeader.refuse(false);
                CompletionStage<Place> taken = queue.take(ticket());
                List<String> asked = new ArrayList<>();
                await().atMost(PLENTY).until(() -> {
                    asked.addAll(atLeader.seen());
                    return asked.contains("multi") || asked.contains("list") && isAnswered(session);
                });
                assertThat(leader.mode()).as("what it takes itself for").contains("leader");
                toFollower.refuse(false);
                toLeader.refuse(true);
                toLeader.cut();
                await().atMost(PLENTY).until(() -> toFollower.connections() == 1);
                listener.goOn();

                Place place = get(taken);

                assertThat(place.ahead()).isEmpty();
                Session other = session(others);
                get(other.queue("other").take(ticket())); // by now it knows what has been carried out
                assertThat(get(other.queue("unknown").tickets())).containsExactly(place.ticket());
            }
        }
    }

    /**
     * A handle does not count an event among what it has seen, so it goes on to a leader that knows nothing of it. The last that it
     * has seen by an answer is known there: whoever follows the next leader answers so as long as nothing has changed.
     */
    @Test
    void tickets_deposedLeaderIsAskedAfterADepartureWasTold_areThoseOfThatDepartureOrLater() throws Exception {
        assertReadIsNoOlderThanWhatWasTold(DeposedLeaderTest::fair);
    }

    /** The only watch has fired, so nothing of the session's would tell that the connection was lost. */
    @Test
    void tickets_deposedLeaderIsAskedByAPlainHandleAfterADepartureWasTold_areThoseOfThatDepartureOrLater()
            throws Exception {
        List<ZooKeeper> handles = new ArrayList<>();
        try {
            assertReadIsNoOlderThanWhatWasTold(hosts -> {
                try {
                    handles.add(new ZooKeeper(hosts, 40_000, event -> {}));
                } catch (IOException failed) {
                    throw new UncheckedIOException(failed);
                }
                return ZooKeeperTicketStore.over(handles.get(0));
            });
        } finally {
            for (ZooKeeper handle : handles) {
                handle.close();
            }
        }
    }

    private static void assertReadIsNoOlderThanWhatWasTold(Function<String, ZooKeeperTicketStore> connect)
            throws Exception {
        Requests atLeader = new Requests();
        Told told = new Told();
        try (ZooKeeperEnsemble ensemble = ZooKeeperEnsemble.startSeparable(SLOW_TO_NOTICE_AND_TO_END_SESSIONS)) {
            ZooKeeperProcess leader = ensemble.leader();
            ZooKeeperProcess one = ensemble.followers().get(0);
            ZooKeeperProcess two = ensemble.followers().get(1);
            try (TcpProxy toLeader = TcpProxy.framed(leader.port());
                    TcpProxy toOne = TcpProxy.framed(one.port());
                    TcpProxy toTwo = TcpProxy.framed(two.port());
                    ZooKeeperTicketStore store =
                            connect.apply(toLeader.address() + "," + toOne.address() + "," + toTwo.address());
                    ZooKeeperTicketStore others = fair(one.address() + "," + two.address())) {
                toLeader.rule(atLeader);
                toLeader.refuse(true);
                toTwo.refuse(true);
                Session session = session(store, new Told(), Duration.ofSeconds(40));
                TicketQueue queue = session.queue("stale");
                TicketQueue sameByOthers =
                        session(others, new Told(), Duration.ofSeconds(40)).queue("stale");
                Ticket first = get(sameByOthers.take(ticket())).ticket();
                Ticket mine = get(queue.take(ticket())).ticket();
                queue.onDeparture(List.of(first), told);
                get(session.heartbeat());
                toOne.refuse(true);
                ensemble.separate(leader);
                await().atMost(PLENTY).until(() -> toOne.connections() == 0);
                await().atMost(PLENTY)
                        .until(() -> one.mode().isPresent() && two.mode().isPresent());
                boolean oneFollows = one.mode().orElseThrow().equals("follower");
                ZooKeeperProcess follower = oneFollows ? one : two;
                TcpProxy toFollower = oneFollows ? toOne : toTwo;
                toFollower.refuse(false);
                await().atMost(PLENTY).until(() -> follower.watchCount() > 0);
                await().atMost(PLENTY)
                        .until(() -> get(sameByOthers.remove(first).handle((removed, failure) -> failure == null)));
                await().until(() -> told.all.contains("departed " + first.id()));
                toFollower.refuse(true);
                toFollower.cut();
                toLeader.refuse(false);
                await().atMost(PLENTY).until(() -> atLeader.seen().contains("connect"));

                CompletionStage<List<Ticket>> seen = queue.tickets();

                await().atMost(PLENTY)
                        .until(() -> seen.toCompletableFuture().isDone()
                                || atLeader.seen().contains("multi"));
                assertThat(leader.mode()).as("what it takes itself for").contains("leader");
                toFollower.refuse(false);
                toLeader.refuse(true);
                toLeader.cut();
                assertThat(get(seen.exceptionally(unknown -> List.of()))).doesNotContain(first);
                await().atMost(PLENTY)
                        .until(() -> get(queue.tickets().exceptionally(unknown -> List.of()))
                                .equals(List.of(mine)));
            }
        }
    }

    private static boolean isAnswered(Session session) {
        String handle = ((ZooKeeperSession) session).link().zooKeeper().toString();
        return handle.contains("queuedpkts:0 pendingresp:0");
    }

    /** Holds up the thread of events when it is connected again. */
    private static final class HeldUp implements SessionListener {

        private volatile CountDownLatch over = new CountDownLatch(0);

        void holdUp() {
            over = new CountDownLatch(1);
        }

        void goOn() {
            over.countDown();
        }

        @Override
        public void suspect(String problem) {}

        @Override
        public void live() {
            try {
                over.await();
            } catch (InterruptedException ended) {
                Thread.currentThread().interrupt();
            }
        }

        @Override
        public void lost() {}
    }

    private static ZooKeeperTicketStore fair(String hosts) {
        return ZooKeeperTicketStore.of(StoreUri.parse("zookeeper://" + hosts));
    }

    private static CompletionStage<Boolean> release(ZooKeeperLeaseStore store, LeaseRequest request) {
        return store.release(new Lease(request.name(), request.owner(), OptionalLong.empty(), request.ttl()));
    }

    private static LeaseRequest request(String name, String owner) {
        return new LeaseRequest(name, owner, Duration.ofSeconds(40), "");
    }

    private static ZooKeeperLeaseStore simple(String hosts) {
        return ZooKeeperLeaseStore.of(StoreUri.parse("zookeeper-simple://" + hosts));
    }
}
