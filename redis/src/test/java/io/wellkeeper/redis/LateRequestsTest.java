package io.wellkeeper.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.Registration;
import io.wellkeeper.spi.Lease;
import io.wellkeeper.spi.LeaseRequest;
import io.wellkeeper.spi.LeaseStore;
import io.wellkeeper.spi.Mode;
import io.wellkeeper.spi.Place;
import io.wellkeeper.spi.Session;
import io.wellkeeper.spi.SessionOptions;
import io.wellkeeper.spi.StoreUri;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketInfo;
import io.wellkeeper.spi.TicketQueue;
import io.wellkeeper.spi.TicketRequest;
import io.wellkeeper.testservers.RedisProcess;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A connection is given up while a request is on its way, as when the network loses packets for some seconds; the request
 * arrives when it has been sent again by the next connection and carried out, and others after it.
 */
@ExtendWith(SharedServers.class)
class LateRequestsTest {

    private final RedisProcess server;
    private final FaultProxy proxy;

    LateRequestsTest(SingleServer servers) {
        server = servers.masters().get(0);
        server.call("FLUSHALL");
        proxy = new FaultProxy(server.port());
    }

    @AfterEach
    void close() {
        proxy.close();
    }

    /** The next call of a script is late. */
    private AtomicBoolean delay(String digest) {
        AtomicBoolean delayed = new AtomicBoolean();
        proxy.rule(words -> words.size() > 1 && words.get(1).equals(digest) && delayed.compareAndSet(false, true)
                ? FaultProxy.DELAY
                : FaultProxy.FORWARD);
        return delayed;
    }

    private static RedisTicketStore store(String address) {
        return RedisTicketStore.of(StoreUri.parse("redis://" + address + "?restartGuard=off"));
    }

    private static Session open(RedisTicketStore store) {
        return Await.get(store.open(new SessionOptions("test", Duration.ofMinutes(1)), new Nobody()));
    }

    private static TicketRequest request(String id) {
        return new TicketRequest(id, Mode.EXCLUSIVE, 1, "");
    }

    @Test
    void onNotice_endOfAnEarlierWatchIsLate_isTold() {
        try (RedisTicketStore store = store(proxy.address());
                RedisTicketStore others = store(server.address())) {
            TicketQueue watched = open(store).queue("l");
            TicketQueue other = open(others).queue("l");
            Registration former = watched.onNotice(() -> {});
            Await.get(watched.notice()); // behind the beginning of the watch
            AtomicBoolean delayed = delay(Script.UNHEED.digest());
            former.close();
            await().untilTrue(delayed);
            AtomicInteger told = new AtomicInteger();
            watched.onNotice(told::incrementAndGet);
            Await.get(watched.notice());
            proxy.deliver();
            told.set(0);

            Await.get(other.post(Await.get(other.notice()), "text"));

            await().untilAsserted(() -> assertThat(told).hasPositiveValue());
        }
    }

    /** As after a failover, until the new master has a replica. */
    @Test
    void onNotice_endOfTheWatchIsRefused_isRepeated() {
        try (RedisTicketStore store = store(proxy.address())) {
            Session mine = open(store);
            TicketQueue watched = mine.queue("l");
            Registration watch = watched.onNotice(() -> {});
            Await.get(watched.notice()); // behind the beginning of the watch
            assertThat(server.call("HGET", "wellkeeper:{0}:data:l", "o")).isEqualTo(mine.id() + " ");
            AtomicBoolean refused = new AtomicBoolean();
            proxy.rule(words -> words.size() > 1
                            && words.get(1).equals(Script.UNHEED.digest())
                            && refused.compareAndSet(false, true)
                    ? "NOREPLICAS Not enough good replicas to write."
                    : FaultProxy.FORWARD);

            watch.close();

            await().untilTrue(refused);
            await().untilAsserted(() ->
                    assertThat(server.call("EXISTS", "wellkeeper:{0}:data:l")).isEqualTo(0L));
        }
    }

    @Test
    void onNotice_manyRequestsToWatchAreRefused_areRepeatedOnce() {
        try (RedisTicketStore store = store(proxy.address())) {
            Session mine = open(store);
            Map<String, AtomicInteger> refused = Map.of("l", new AtomicInteger(), "m", new AtomicInteger());
            Map<String, AtomicInteger> accepted = Map.of("l", new AtomicInteger(), "m", new AtomicInteger());
            AtomicBoolean refusing = new AtomicBoolean(true);
            proxy.rule(words -> {
                if (words.size() < 2 || !words.get(1).equals(Script.HEED.digest())) {
                    return FaultProxy.FORWARD;
                }
                String name = words.get(words.size() - 3);
                (refusing.get() ? refused : accepted).get(name).incrementAndGet();
                return refusing.get() ? "NOREPLICAS Not enough good replicas to write." : FaultProxy.FORWARD;
            });
            TicketQueue watched = mine.queue("l");
            for (int i = 0; i < 10; i++) {
                watched.onNotice(() -> {}).close();
            }
            watched.onNotice(() -> {});
            mine.queue("m").onNotice(() -> {}); // is repeated last
            await().until(() -> refused.get("m").get() == 1 && refused.get("l").get() > 10);

            refusing.set(false);

            await().until(() -> accepted.get("m").get() == 1);
            assertThat(accepted.get("l")).hasValue(1);
        }
    }

    /** Otherwise it would find out two seconds later. */
    @Test
    void onDeparture_endOfAnEarlierWatchIsLate_serverStillKnowsTheWatch() {
        try (RedisTicketStore store = store(proxy.address());
                RedisTicketStore others = store(server.address())) {
            Session mine = open(store);
            TicketQueue watching = mine.queue("l");
            List<Ticket> his = List.of(
                    Await.get(open(others).queue("l").take(request("r"))).ticket());
            Registration former = watching.onDeparture(his, new Nobody());
            Await.get(watching.tickets()); // behind the beginning of the watch
            AtomicBoolean delayed = delay(Script.UNWATCH.digest());
            former.close();
            await().untilTrue(delayed);
            watching.onDeparture(his, new Nobody());
            Await.get(watching.tickets());

            proxy.deliver();

            assertThat(server.call(
                            "HGET", "wellkeeper:{0}:data:l", "w" + his.get(0).id()))
                    .isEqualTo(mine.id() + " ");
        }
    }

    /** As after a failover, until the new master has a replica: it is sent behind the next watch then. */
    @Test
    void onDeparture_endOfAnEarlierWatchIsRefusedForAWhile_serverStillKnowsTheWatch() {
        try (RedisTicketStore store = store(proxy.address());
                RedisTicketStore others = store(server.address())) {
            Session mine = open(store);
            TicketQueue watching = mine.queue("l");
            List<Ticket> his = List.of(
                    Await.get(open(others).queue("l").take(request("r"))).ticket());
            Registration former = watching.onDeparture(his, new Nobody());
            Await.get(watching.tickets()); // behind the beginning of the watch
            AtomicInteger tries = new AtomicInteger();
            AtomicBoolean hasReplica = new AtomicBoolean();
            proxy.rule(words -> {
                if (words.size() < 2 || !words.get(1).equals(Script.UNWATCH.digest())) {
                    return FaultProxy.FORWARD;
                }
                boolean isLost = tries.incrementAndGet() == 1;
                return isLost
                        ? FaultProxy.LOSE_REPLY
                        : hasReplica.get() ? FaultProxy.FORWARD : "NOREPLICAS Not enough good replicas to write.";
            });
            former.close();
            await().until(() -> tries.get() > 1);
            watching.onDeparture(his, new Nobody());
            Await.get(watching.tickets());
            long ended = server.calls("hdel");

            hasReplica.set(true);

            await().until(() -> server.calls("hdel") > ended);
            await().untilAsserted(() -> assertThat(server.call(
                            "HGET", "wellkeeper:{0}:data:l", "w" + his.get(0).id()))
                    .isEqualTo(mine.id() + " "));
        }
    }

    /** As others may have come while the connection was lost, whoever wants to know of them is told. */
    @Test
    void alone_ticketHasBeenRemovedByAnotherAndConnectionIsLost_isNotTold() {
        try (RedisTicketStore store = store(proxy.address());
                RedisTicketStore others = store(server.address())) {
            TicketQueue queue = open(store).queue("l");
            AtomicInteger told = new AtomicInteger();
            Ticket broken = Await.get(queue.take(request("r1"))).ticket();
            Ticket mine = Await.get(queue.take(request("r2"))).ticket();
            AtomicBoolean isMineTold = new AtomicBoolean();
            Await.get(queue.alone(broken, told::incrementAndGet));
            Await.get(queue.alone(mine, () -> isMineTold.set(true)));
            CompletableFuture<Void> isGone = new CompletableFuture<>();
            queue.onDeparture(List.of(broken), new Nobody() {
                @Override
                public void departed(Ticket ticket) {
                    isGone.complete(null);
                }
            });
            Await.get(open(others).queue("l").remove(broken));
            Await.get(isGone);
            AtomicBoolean lost = new AtomicBoolean();
            proxy.rule(words -> words.contains(Script.INSPECT.digest()) && lost.compareAndSet(false, true)
                    ? FaultProxy.LOSE_REPLY
                    : FaultProxy.FORWARD);

            Await.get(queue.inspect());

            await().untilTrue(isMineTold);
            assertThat(told).hasValue(0);
        }
    }

    /** A take that was refused may have left a ticket, and whatever nobody knows is given back. */
    @Test
    void take_givingBackWhatARefusedOneMayHaveLeftIsLate_keepsItsTicket() {
        try (RedisTicketStore store = store(proxy.address())) {
            TicketQueue queue = open(store).queue("l");
            AtomicBoolean refused = new AtomicBoolean();
            AtomicBoolean delayed = new AtomicBoolean();
            proxy.rule(words -> {
                if (words.size() > 1
                        && words.get(1).equals(Script.TAKE.digest())
                        && refused.compareAndSet(false, true)) {
                    return "OOM command not allowed when used memory > 'maxmemory'.";
                }
                return words.size() > 1
                                && words.get(1).equals(Script.LEAVE.digest())
                                && delayed.compareAndSet(false, true)
                        ? FaultProxy.DELAY
                        : FaultProxy.FORWARD;
            });
            Await.failure(queue.take(request("r1")));
            await().untilTrue(delayed);
            Ticket mine = Await.get(queue.take(request("r2"))).ticket();

            proxy.deliver();

            assertThat(Await.get(queue.tickets())).containsExactly(mine);
        }
    }

    /** The first try takes the ticket, whose answer is lost; the second is late, and the third finds it. */
    @Test
    void take_secondTryIsLateAndTheTicketIsGone_takesNoOther() {
        try (RedisTicketStore store = store(proxy.address())) {
            TicketQueue queue = open(store).queue("l");
            AtomicInteger tries = new AtomicInteger();
            proxy.rule(words -> {
                if (words.size() < 2 || !words.get(1).equals(Script.TAKE.digest())) {
                    return FaultProxy.FORWARD;
                }
                return switch (tries.incrementAndGet()) {
                    case 1 -> FaultProxy.LOSE_REPLY;
                    case 2 -> FaultProxy.DELAY;
                    default -> FaultProxy.FORWARD;
                };
            });
            Ticket mine = Await.get(queue.take(request("r"))).ticket();
            Await.get(queue.remove(mine));

            proxy.deliver();

            assertThat(tries).hasValue(3);
            assertThat(Await.get(queue.tickets())).isEmpty();
        }
    }

    @Test
    void take_isAnsweredBeforeItIsSentAgain_isNumberedBehindTheOneBeforeIt() {
        repeatWhatIsAnswered(
                (queue, taken) -> assertThat(Await.get(queue.tickets())).isEqualTo(taken));
    }

    /** Only when all answers have come, what the server does not know is sent at length. */
    @Test
    void inspect_serverHasForgottenItsScriptAndAnswersCameTwiceBefore_isAnswered() {
        repeatWhatIsAnswered((queue, taken) -> {
            proxy.rule(words -> words.size() > 1 && words.get(1).equals(Script.INSPECT.digest())
                    ? "NOSCRIPT No matching script. Please use EVAL."
                    : FaultProxy.FORWARD);

            assertThat(Await.get(queue.inspect()))
                    .extracting(TicketInfo::ticket)
                    .isEqualTo(taken);
        });
    }

    /**
     * A session turns to the server anew, by a connection that it shares with another and so has kept. Of two takes that it
     * repeats one by one the first is refused, and the second was answered before.
     *
     * @param then given the queue and the two tickets
     */
    private void repeatWhatIsAnswered(BiConsumer<TicketQueue, List<Ticket>> then) {
        try (RedisTicketStore store = store(proxy.address())) {
            RedisSession session = (RedisSession) open(store);
            Session neighbour = open(store);
            CountDownLatch allAreSent = new CountDownLatch(1);
            AtomicBoolean moving = new AtomicBoolean(true);
            AtomicBoolean busy = new AtomicBoolean(true);
            proxy.rule(words -> {
                if (words.size() < 2 || !words.get(1).equals(Script.TAKE.digest())) {
                    return FaultProxy.FORWARD;
                }
                if (words.contains("moving") && moving.compareAndSet(true, false)) {
                    await().until(() -> allAreSent.getCount() == 0);
                    return "TRYAGAIN Multiple keys request during rehashing of slot";
                }
                await().until(() -> session.wires() == 2);
                return words.contains("busy") && busy.get()
                        ? "BUSY Redis is busy running a script."
                        : FaultProxy.FORWARD;
            });
            TicketQueue queue = session.queue("l");
            CompletionStage<Place> other = session.queue("other").take(request("moving"));
            CompletionStage<Place> first = queue.take(request("busy"));
            CompletionStage<Place> second = queue.take(request("answered"));
            allAreSent.countDown();

            await().until(() -> session.wires() == 2);
            Await.get(neighbour.heartbeat()); // behind what was sent before
            busy.set(false);
            Await.get(other);

            then.accept(
                    queue, List.of(Await.get(first).ticket(), Await.get(second).ticket()));
        }
    }

    @Test
    void describe_earlierOneIsLate_laterOneStands() {
        try (RedisTicketStore store = store(proxy.address())) {
            TicketQueue queue = open(store).queue("l");
            Ticket mine = Await.get(queue.take(request("r"))).ticket();
            delay(Script.DESCRIBE.digest());
            Await.get(queue.describe(mine, "earlier"));
            Await.get(queue.describe(mine, "later"));

            proxy.deliver();

            assertThat(Await.get(queue.inspect()))
                    .extracting(TicketInfo::metadata)
                    .containsExactly("later");
        }
    }

    /** Somebody waits by an RFairLock, so whoever waits here stands in the same queue. */
    @Test
    void onRelease_leavingTheQueueOfRedissonEarlierIsLate_keepsItsPlace() {
        server.call("HSET", "l", "holder:1", "1");
        stand("theirs:1");
        LeaseRequest request = new LeaseRequest("l", "owner", Duration.ofSeconds(10), "");
        try (LeaseStore store = RedissonLeaseStore.of(StoreUri.parse("redis-redisson://" + proxy.address()))) {
            Registration former = store.onRelease("l", () -> {});
            Await.get(store.tryAcquire(request));
            AtomicBoolean delayed = delay(LeaseScript.REDISSON_LEAVE.digest());
            former.close();
            await().untilTrue(delayed);
            store.onRelease("l", () -> {});
            await().until(() -> Await.get(store.tryAcquire(request)).isEmpty());
            stand("theirs:2");

            proxy.deliver();

            assertThat(queue()).hasSize(3).startsWith("theirs:1").endsWith("theirs:2");
        }
    }

    /** Both wait for the connection, and go out in another order. */
    @Test
    void onRelease_endsWhileItIsAskedForTheLock_leavesTheQueueOfRedisson() {
        server.call("HSET", "l", "holder:1", "1");
        stand("theirs:1");
        LeaseRequest request = new LeaseRequest("l", "owner", Duration.ofSeconds(10), "");
        try (LeaseStore store = RedissonLeaseStore.of(StoreUri.parse("redis-redisson://" + proxy.address()))) {
            Registration waiting = store.onRelease("l", () -> {});
            CompletionStage<?> asked = store.tryAcquire(request);
            waiting.close();
            Await.get(asked);

            await().untilAsserted(() -> assertThat(queue()).containsExactly("theirs:1"));
        }
    }

    @Test
    void onRelease_connectionIsLostAtTheEnd_leavesTheQueueOfRedisson() {
        server.call("HSET", "l", "holder:1", "1");
        stand("theirs:1");
        LeaseRequest request = new LeaseRequest("l", "owner", Duration.ofSeconds(10), "");
        try (LeaseStore store = RedissonLeaseStore.of(StoreUri.parse("redis-redisson://" + proxy.address()))) {
            Registration waiting = store.onRelease("l", () -> {});
            Await.get(store.tryAcquire(request));
            AtomicBoolean delayed = delay(LeaseScript.REDISSON_LEAVE.digest());
            waiting.close();
            await().untilTrue(delayed);

            await().untilAsserted(() -> assertThat(queue()).containsExactly("theirs:1"));
        }
    }

    private void stand(String theirs) {
        server.call("RPUSH", "redisson_lock_queue:{l}", theirs);
        server.call("ZADD", "redisson_lock_timeout:{l}", Long.toString(System.currentTimeMillis() + 300_000), theirs);
    }

    private List<Object> queue() {
        return List.copyOf((List<?>) server.call("LRANGE", "redisson_lock_queue:{l}", "0", "-1"));
    }

    @Test
    void renew_earlierOneIsLate_leaseIsNotShortened() {
        try (LeaseStore store = RedisLeaseStore.of(StoreUri.parse("redis-simple://" + proxy.address()))) {
            renewLate(store, LeaseScript.LEASE_ACQUIRE, LeaseScript.LEASE_RENEW);
        }
    }

    @Test
    void renew_earlierOneIsLateInTheLayoutOfRedisson_leaseIsNotShortened() {
        try (LeaseStore store = RedissonLeaseStore.of(StoreUri.parse("redis-redisson://" + proxy.address()))) {
            renewLate(store, LeaseScript.REDISSON_ACQUIRE, LeaseScript.REDISSON_RENEW);
        }
    }

    /** A lease is asked for and renewed twice each, and the first of either comes late. */
    private void renewLate(LeaseStore store, LeaseScript acquire, LeaseScript renew) {
        LeaseRequest request = new LeaseRequest("l", "owner", Duration.ofSeconds(10), "");
        delay(acquire.digest());
        Await.failure(store.tryAcquire(request));
        Lease lease = Await.get(store.tryAcquire(request)).orElseThrow();
        delay(renew.digest());
        Await.failure(store.renew(lease, Duration.ofSeconds(10)));
        assertThat(Await.get(store.renew(lease, Duration.ofMinutes(10)))).isTrue();

        proxy.deliver();

        assertThat((Long) server.call("PTTL", "l")).isGreaterThan(500_000);
    }

    @Test
    void renew_earlierVoteIsLate_leaseIsNotShortened() {
        server.call("SET", "l", "owner:1", "PX", "600000");

        assertThat(server.call("EVAL", LeaseScript.REDLOCK_RENEW.text(), "1", "l", "owner", "10000"))
                .isEqualTo(List.of(1L));

        assertThat((Long) server.call("PTTL", "l")).isGreaterThan(500_000);
    }
}
