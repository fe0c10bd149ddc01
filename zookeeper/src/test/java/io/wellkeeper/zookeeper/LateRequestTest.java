package io.wellkeeper.zookeeper;

import static io.wellkeeper.zookeeper.Await.get;
import static io.wellkeeper.zookeeper.Requested.session;
import static io.wellkeeper.zookeeper.Requested.ticket;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.DistributedBarrier;
import io.wellkeeper.DistributedLatch;
import io.wellkeeper.LockClient;
import io.wellkeeper.spi.Lease;
import io.wellkeeper.spi.LeaseRequest;
import io.wellkeeper.spi.Place;
import io.wellkeeper.spi.Session;
import io.wellkeeper.spi.StoreUri;
import io.wellkeeper.spi.TicketQueue;
import io.wellkeeper.testservers.TcpProxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.server.NIOServerCnxnFactory;
import org.apache.zookeeper.server.Request;
import org.apache.zookeeper.server.ZooKeeperServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A thread of the server stands still when it has read a request; the session comes back by another one meanwhile. */
@Tag("full")
class LateRequestTest {

    private static final Set<Integer> CHANGES =
            Set.of(OpCode.create2, OpCode.createContainer, OpCode.setData, OpCode.delete, OpCode.multi);

    private final CompletableFuture<Void> read = new CompletableFuture<>();
    private final CompletableFuture<Void> goOn = new CompletableFuture<>();
    private final CompletableFuture<Void> submitted = new CompletableFuture<>();
    private volatile Set<Integer> heldUp = Set.of(); // the next of these
    private volatile Set<Integer> overtaken = Set.of(); // what is held up goes on just before the next of these
    private final NIOServerCnxnFactory factory = new NIOServerCnxnFactory();
    private final ZooKeeperServer server;
    private final TcpProxy proxy;

    LateRequestTest(@TempDir Path directory) throws Exception {
        server = server(directory);
        factory.configure(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 10);
        factory.startup(server);
        proxy = TcpProxy.framed(factory.getLocalPort());
    }

    private ZooKeeperServer server(Path directory) throws Exception {
        return new ZooKeeperServer(directory.toFile(), directory.toFile(), 500) {
            @Override
            public void submitRequest(Request request) {
                boolean late = heldUp.contains(request.type);
                if (late) {
                    heldUp = Set.of();
                    read.complete(null);
                    goOn.join();
                } else if (overtaken.contains(request.type)) {
                    overtaken = Set.of();
                    goOn();
                }
                super.submitRequest(request);
                if (late) {
                    submitted.complete(null);
                }
            }
        };
    }

    @AfterEach
    void stop() {
        proxy.close();
        factory.shutdown();
    }

    @Test
    void take_lostRequestIsCarriedOutWhenTheNextOneHasBeen_leavesOneTicket() throws Exception {
        ZooKeeperTicketStore store = ZooKeeperTicketStore.of(StoreUri.parse("zookeeper://" + proxy.address()));
        Session session = session(store);
        TicketQueue queue = session.queue("late");
        get(queue.remove(get(queue.take(ticket())).ticket()));
        heldUp = CHANGES;
        CompletionStage<Place> taking = queue.take(ticket());
        cutWhenRead();
        Place place = get(taking);

        goOn();

        await().untilAsserted(() -> assertThat(get(queue.tickets())).containsExactly(place.ticket()));
        store.close();
    }

    /** Its ticket has the smaller number, then: others wait for that one, and for no other. */
    @Test
    void take_lostRequestIsCarriedOutJustBeforeTheNextOne_isSeenByWhoeverComesBehind() {
        ZooKeeperTicketStore store = ZooKeeperTicketStore.of(StoreUri.parse("zookeeper://" + proxy.address()));
        TicketQueue queue = session(store).queue("late");
        TicketQueue sameByOthers = session(store).queue("late");
        get(queue.remove(get(queue.take(ticket())).ticket()));
        heldUp = Set.of(OpCode.create2);
        CompletionStage<Place> taking = queue.take(ticket());
        get(read);
        overtaken = Set.of(OpCode.create2);
        proxy.cut();

        Place place = get(taking);

        assertThat(place.ahead()).isEmpty();
        assertThat(get(sameByOthers.take(ticket())).ahead()).containsExactly(place.ticket());
        store.close();
    }

    @Test
    void remove_lostTakeIsCarriedOutWhenItsTicketHasBeenGivenBack_isNoTicket() {
        ZooKeeperTicketStore store = ZooKeeperTicketStore.of(StoreUri.parse("zookeeper://" + proxy.address()));
        TicketQueue queue = session(store).queue("late");
        get(queue.remove(get(queue.take(ticket())).ticket()));
        heldUp = Set.of(OpCode.create2);
        CompletionStage<Place> taking = queue.take(ticket());
        cutWhenRead();
        Place place = get(taking);
        get(queue.remove(place.ticket()));

        goOn();

        assertThat(get(queue.tickets())).isEmpty();
        assertThat(get(queue.take(ticket())).ahead()).isEmpty();
        store.close();
    }

    /** Others know nothing of the doubt. */
    @Test
    void remove_lostTakeIsCarriedOutWhenOthersHaveRemovedItsTicket_isNoTicket() {
        ZooKeeperTicketStore store = ZooKeeperTicketStore.of(StoreUri.parse("zookeeper://" + proxy.address()));
        TicketQueue queue = session(store).queue("late");
        TicketQueue sameByOthers = session(store).queue("late");
        get(queue.remove(get(queue.take(ticket())).ticket()));
        heldUp = Set.of(OpCode.create2);
        CompletionStage<Place> taking = queue.take(ticket());
        cutWhenRead();
        Place place = get(taking);
        assertThat(get(sameByOthers.remove(place.ticket()))).isTrue();
        assertThat(get(queue.remove(place.ticket()))).isFalse();
        get(queue.take(ticket()).thenCompose(next -> queue.remove(next.ticket()))); // by now that has been said

        goOn();

        assertThat(get(queue.tickets())).isEmpty();
        store.close();
    }

    @Test
    void close_lostTakeIsCarriedOutWhenTheSessionOverAGivenHandleIsClosed_isNoTicket() throws Exception {
        try (ZooKeeper given = new ZooKeeper(proxy.address(), 10_000, event -> {});
                ZooKeeperTicketStore others =
                        ZooKeeperTicketStore.of(StoreUri.parse("zookeeper://127.0.0.1:" + factory.getLocalPort()))) {
            Session session = session(ZooKeeperTicketStore.over(given));
            TicketQueue queue = session.queue("late");
            TicketQueue sameByOthers = session(others).queue("late");
            get(queue.remove(get(queue.take(ticket())).ticket()));
            heldUp = Set.of(OpCode.create2);
            CompletionStage<Place> taking = queue.take(ticket());
            cutWhenRead();
            get(taking);
            get(session.close());
            given.exists("/", false); // by now that has been said

            goOn();

            assertThat(get(sameByOthers.tickets())).isEmpty();
            assertThat(get(sameByOthers.take(ticket())).ahead()).isEmpty();
        }
    }

    @Test
    void release_lostRequestIsCarriedOutWhenTheNextOneHasBeen_leavesTheNextOnesLease() {
        ZooKeeperLeaseStore store = leases();
        ZooKeeperLeaseStore other = leases();
        Lease lease = get(store.tryAcquire(request("o1"))).orElseThrow();
        heldUp = CHANGES;
        CompletionStage<Boolean> releasing = store.release(lease);
        cutWhenRead();
        Await.failure(releasing);
        await().untilAsserted(() -> assertThat(get(store.release(lease))).isTrue());
        Lease next = get(other.tryAcquire(request("o2"))).orElseThrow();

        goOn();

        assertThat(get(other.renew(next, Duration.ofSeconds(8)))).isTrue();
        store.close();
        other.close();
    }

    @Test
    void tryAcquire_lostRequestIsCarriedOutWhenTheLeaseIsReleased_leavesTheLockFree() {
        ZooKeeperLeaseStore store = leases();
        ZooKeeperLeaseStore other = leases();
        get(store.release(get(store.tryAcquire(request("warm"))).orElseThrow()));
        heldUp = CHANGES;
        CompletionStage<?> taking = store.tryAcquire(request("o1"));
        cutWhenRead();
        Await.failure(taking);
        await().untilAsserted(
                        () -> assertThat(get(store.tryAcquire(request("o1")))).isPresent());
        assertThat(get(store.release(new Lease("late", "o1", OptionalLong.empty(), Duration.ZERO))))
                .isTrue();

        goOn();

        assertThat(get(other.tryAcquire(request("o2")))).isPresent();
        store.close();
        other.close();
    }

    @Test
    void post_lostRequestIsCarriedOutWhenTheLatchWasCountedDown_leavesTheLatchOpen() {
        try (LockClient client = LockClient.connect("zookeeper://" + proxy.address())) {
            DistributedLatch latch = client.latch("late");
            latch.trySetCount(1);
            latch.countDown();
            heldUp = CHANGES;
            CompletionStage<Boolean> setting = CompletableFuture.supplyAsync(() -> latch.trySetCount(1));
            cutWhenRead();
            assertThat(get(setting)).isTrue();
            latch.countDown();

            goOn();

            assertThat(latch.getCount()).isZero();
        }
    }

    /** Who has posted looks, finds that others have done it, and asks for nothing more. */
    @Test
    void post_firstAttemptToConnectAgainFails_lostRequestIsRefusedAllTheSame() {
        ZooKeeperTicketStore store = ZooKeeperTicketStore.of(StoreUri.parse("zookeeper://" + proxy.address()));
        Session session = session(store);
        TicketQueue queue = session.queue("late");
        get(queue.post(get(queue.notice()), "before"));
        get(queue.post(get(queue.notice()), ""));
        Eras eras = ((ZooKeeperSession) session).link().eras();
        String era = get(eras.current());
        heldUp = CHANGES;
        CompletionStage<Boolean> posting = queue.post(get(queue.notice()), "late");
        get(read);
        proxy.refuse(true);
        proxy.cut();
        Await.failure(posting);
        Await.failure(eras.current());
        proxy.refuse(false);
        await().until(() -> server.getZKDatabase().getNode(era) == null);

        goOn();

        assertThat(get(queue.notice()).text()).isEmpty();
        store.close();
    }

    @Test
    void await_lostArrivalIsCarriedOutWhenTheNextOneHasBeen_isOneParty() {
        try (LockClient client = LockClient.connect("zookeeper://" + proxy.address());
                LockClient other = LockClient.connect("zookeeper://127.0.0.1:" + factory.getLocalPort())) {
            DistributedBarrier barrier = other.barrier("late", 3);
            heldUp = Set.of(OpCode.create2);
            CompletionStage<?> first = client.barrier("late", 3).awaitAsync();
            cutWhenRead();
            await().until(() -> barrier.getNumberWaiting() == 1);

            goOn();

            CompletionStage<?> second = barrier.awaitAsync();
            await().until(() -> barrier.getNumberWaiting() != 1);
            assertThat(barrier.getNumberWaiting()).isEqualTo(2);
            CompletionStage<?> third = barrier.awaitAsync();
            get(first);
            get(second);
            get(third);
        }
    }

    @Test
    void await_lostArrivalIsCarriedOutWhenItsPartyHasPassed_isNoPartyOfTheNextRound() {
        try (LockClient client = LockClient.connect("zookeeper://" + proxy.address());
                LockClient other = LockClient.connect("zookeeper://127.0.0.1:" + factory.getLocalPort())) {
            DistributedBarrier barrier = other.barrier("late", 2);
            heldUp = Set.of(OpCode.create2);
            CompletionStage<?> first = client.barrier("late", 2).awaitAsync();
            cutWhenRead();
            await().until(() -> barrier.getNumberWaiting() == 1);
            get(barrier.awaitAsync());
            get(first);
            client.lock("behind").acquireAsync().join().close(); // by now its ticket has been given back

            goOn();

            CompletableFuture<Integer> third = barrier.awaitAsync();
            await().until(() -> third.isDone() || barrier.getNumberWaiting() > 0);
            assertThat(barrier.getNumberWaiting()).isEqualTo(1);
            get(barrier.awaitAsync());
            get(third);
        }
    }

    private void cutWhenRead() {
        get(read);
        proxy.cut();
    }

    private void goOn() {
        goOn.complete(null);
        get(submitted);
    }

    private ZooKeeperLeaseStore leases() {
        return ZooKeeperLeaseStore.of(StoreUri.parse("zookeeper-simple://" + proxy.address()));
    }

    private static LeaseRequest request(String owner) {
        return new LeaseRequest("late", owner, Duration.ofSeconds(8), "somebody");
    }
}
