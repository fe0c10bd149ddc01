package io.wellkeeper.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.RedisClient;
import io.wellkeeper.ClientOptions;
import io.wellkeeper.LeaseClient;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.LockStoreException;
import io.wellkeeper.Registration;
import io.wellkeeper.spi.Mode;
import io.wellkeeper.spi.Notice;
import io.wellkeeper.spi.Session;
import io.wellkeeper.spi.SessionOptions;
import io.wellkeeper.spi.StoreRefusalException;
import io.wellkeeper.spi.StoreUri;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketQueue;
import io.wellkeeper.spi.TicketRequest;
import io.wellkeeper.testservers.RedisProcess;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is sent beside the scripts may be refused too: by a server that is not in charge any more. */
@Tag("full")
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RefusedCommandsTest {

    private static final String MOVED = "MOVED 1 127.0.0.1:1";

    private final RedisProcess server = RedisProcess.start();
    private final FaultProxy proxy = new FaultProxy(server.port());

    @AfterEach
    void close() {
        proxy.close();
        server.close();
    }

    private LockClient client(String parameters) {
        return LockClient.connect(
                "redis://" + proxy.address() + "?restartGuard=off" + parameters,
                ClientOptions.builder()
                        .sessionTimeout(Duration.ofMinutes(1))
                        .storeTimeout(Duration.ofSeconds(20))
                        .build());
    }

    /** Has a command refused once, or always. */
    private AtomicInteger refuse(String command, String error, boolean always) {
        AtomicInteger count = new AtomicInteger();
        proxy.rule(words -> {
            boolean hit = words.get(0).equalsIgnoreCase(command);
            return hit && (count.incrementAndGet() == 1 || always) ? error : FaultProxy.FORWARD;
        });
        return count;
    }

    @Test
    void connect_subscriptionIsRefusedByAServerNotInCharge_isTriedAgain() throws Exception {
        AtomicInteger tries = refuse("SUBSCRIBE", MOVED, false);

        try (LockClient client = client("")) {
            client.lock("l").acquire().close();
        }
        assertThat(tries).hasValue(2);
    }

    @Test
    void connect_subscriptionIsNotAllowed_failsAtOnce() {
        AtomicInteger tries = refuse("SUBSCRIBE", "NOPERM this user has no permissions to access a channel", true);

        assertThatExceptionOfType(LockStoreException.class)
                .isThrownBy(() -> client(""))
                .withMessageContaining("NOPERM");
        assertThat(tries).hasValue(1);
    }

    @Test
    void reconnect_subscriptionIsRefusedByAServerNotInCharge_isTriedAgain() throws Exception {
        try (LockClient client = client("");
                LockClient other = client("")) {
            client.lock("l").lock();
            var waiting = other.lock("l").acquireAsync();
            await().until(() -> client.admin().inspect("l").waiters().size() == 1);
            AtomicInteger tries = refuse("SUBSCRIBE", MOVED, false);
            server.call("CLIENT", "KILL", "TYPE", "pubsub");
            await().until(() -> tries.get() >= 3);
            client.lock("l").unlock();

            waiting.get(60, TimeUnit.SECONDS).close();
        }
    }

    @Test
    void acquire_replicasAreAskedAtAServerNotInCharge_areAskedAnew() throws Exception {
        try (RedisProcess replica = RedisProcess.start("--replicaof", "127.0.0.1", Integer.toString(server.port()));
                LockClient client = client("&replicas=1&replicaTimeout=10s")) {
            await().until(() ->
                    server.info("replication").getOrDefault("slave0", "").contains("state=online"));
            client.lock("l").acquire().close();
            AtomicInteger tries = refuse("PEXPIRE", MOVED, false);

            client.lock("l").acquire().close();

            assertThat(tries).hasValue(2);
            assertThat(replica.call(
                            "EXISTS",
                            new Keys("wellkeeper", Keys.SINGLE, false).of("l").sequences()))
                    .isEqualTo(1L);
        }
    }

    @Test
    void await_watchOfTheNoticeIsRefusedOnce_isTriedAgain() throws Exception {
        try (LockClient client = client("");
                LockClient other = client("")) {
            other.latch("l").trySetCount(1);
            AtomicInteger tries = new AtomicInteger();
            proxy.rule(words ->
                    words.size() > 1 && words.get(1).equals(Script.HEED.digest()) && tries.incrementAndGet() == 1
                            ? "NOREPLICAS Not enough good replicas to write."
                            : FaultProxy.FORWARD);
            var open = client.latch("l").awaitAsync().toCompletableFuture();
            await().until(() -> tries.get() >= 2);
            other.latch("l").countDown();

            open.get(60, TimeUnit.SECONDS);
        }
    }

    @Test
    void connect_answerNeverComes_isTriedAgainOverAnotherConnection() throws Exception {
        CountDownLatch over = new CountDownLatch(1);
        AtomicInteger tries = new AtomicInteger();
        proxy.rule(words -> {
            if (words.get(0).equalsIgnoreCase("SUBSCRIBE") && tries.incrementAndGet() == 1) {
                neverPass(over);
            }
            return FaultProxy.FORWARD;
        });
        try (LockClient client = client("")) {
            client.lock("l").acquire().close();
        } finally {
            over.countDown();
        }
    }

    @Test
    void acquire_replicasAreAskedOverAConnectionThatIsDead_areAskedAnewOverAnother() throws Exception {
        CountDownLatch over = new CountDownLatch(1);
        try (RedisProcess replica = RedisProcess.start("--replicaof", "127.0.0.1", Integer.toString(server.port()));
                LockClient client = client("&replicas=1&replicaTimeout=2s")) {
            await().until(() ->
                    server.info("replication").getOrDefault("slave0", "").contains("state=online"));
            client.lock("l").acquire().close();
            AtomicInteger tries = new AtomicInteger();
            proxy.rule(words -> {
                if (words.get(0).equalsIgnoreCase("WAIT") && tries.incrementAndGet() == 1) {
                    neverPass(over);
                }
                return FaultProxy.FORWARD;
            });

            client.lock("l").acquireAsync().get(60, TimeUnit.SECONDS).close();
            assertThat(tries).hasValueGreaterThan(1);
        } finally {
            over.countDown();
        }
    }

    @Test
    void acquire_serverThatConfirmsDoesNotKnowTheTicket_holdsAnotherThatItKnows() throws Exception {
        String queue = new Keys("wellkeeper", Keys.SINGLE, false).of("l").queue("l");
        try (RedisProcess replica = RedisProcess.start("--replicaof", "127.0.0.1", Integer.toString(server.port()));
                LockClient client = client("&replicas=1&replicaTimeout=10s")) {
            await().until(() ->
                    server.info("replication").getOrDefault("slave0", "").contains("state=online"));
            AtomicInteger tries = new AtomicInteger();
            proxy.rule(words -> {
                if (!words.get(0).equalsIgnoreCase("PEXPIRE") || tries.incrementAndGet() > 1) {
                    return FaultProxy.FORWARD;
                }
                server.call("DEL", queue); // as if another were in charge, which had not heard of it
                return MOVED;
            });

            try (LockHandle held = client.lock("l").acquire()) {
                assertThat(server.call("ZCARD", queue)).isEqualTo(1L);
                held.checkHeld();
            }
        }
    }

    @Test
    void acquire_returnOfATicketThatNoReplicaKnowsIsRefused_isTriedAgain() throws Exception {
        String queue = new Keys("wellkeeper", Keys.SINGLE, false).of("l").queue("l");
        try (LockClient client = client("&replicas=1&replicaTimeout=100ms")) {
            AtomicInteger tries = refuseOnce(Script.REMOVE, NOREPLICAS);

            assertThatExceptionOfType(LockStoreException.class)
                    .isThrownBy(() -> client.lock("l").acquire());

            await().until(() -> Long.valueOf(0).equals(server.call("EXISTS", queue)));
            assertThat(tries).hasValue(2);
        }
    }

    @Test
    void remove_replacementWasCarriedOutButItsMessageRefused_leavesNeitherTicket() throws Exception {
        String key = new Keys("wellkeeper", Keys.SINGLE, false).of("l").queue("l");
        try (RedisTicketStore store = store(server.address());
                RedisTicketStore others = store(server.address())) {
            Session session = open(store);
            Session other = open(others);
            Ticket mine = Await.get(session.queue("l").take(new TicketRequest("r1", Mode.WRITE, 1, "")))
                    .ticket();
            Ticket next = take(other.queue("l"), "r2"); // watches the one ahead
            server.call("ACL", "SETUSER", "default", "-publish");
            assertThat(Await.failure(session.queue("l").replace(mine, Mode.SHARED, 1)))
                    .hasMessageContaining("can't run this command");
            server.call("ACL", "SETUSER", "default", "+publish");

            Await.get(session.queue("l").remove(mine));

            await().until(() -> List.of(next.id()).equals(server.call("ZRANGE", key, "0", "-1")));
            Await.get(session.close());
            Await.get(other.close());
        }
    }

    @Test
    void post_nobodyMayBeTold_changesNothing() {
        try (RedisTicketStore store = store(server.address());
                RedisTicketStore others = store(server.address())) {
            Session session = open(store);
            Session other = open(others);
            Notice before = Await.get(session.queue("l").notice());
            AtomicReference<String> seen = new AtomicReference<>("");
            Registration watch = other.queue("l")
                    .onNotice(() -> other.queue("l").notice().thenAccept(notice -> seen.set(notice.text())));
            Await.get(other.queue("l").notice());
            server.call("ACL", "SETUSER", "default", "-publish");

            assertThat(Await.failure(session.queue("l").post(before, "new")))
                    .isInstanceOf(StoreRefusalException.class)
                    .hasMessageContaining("can't run this command");
            assertThat(Await.get(session.queue("l").notice())).isEqualTo(before);

            server.call("ACL", "SETUSER", "default", "+publish");
            assertThat(Await.get(session.queue("l").post(before, "new"))).isTrue();
            await().until(() -> seen.get().equals("new"));
            watch.close();
            Await.get(session.close());
            Await.get(other.close());
        }
    }

    @Test
    void waiters_nobodyMayBeTold_getTheirTurnsAllTheSame() throws Exception {
        try (LockClient client = client("");
                LockClient other = client("")) {
            LockHandle held = client.lock("l").acquire();
            CompletableFuture<LockHandle> waiting = other.lock("l").acquireAsync();
            await().until(() -> client.admin().inspect("l").waiters().size() == 1);
            server.call("ACL", "SETUSER", "default", "-publish");

            held.close();

            waiting.get(60, TimeUnit.SECONDS).close();
            client.lock("l").acquireAsync().get(60, TimeUnit.SECONDS).close();
            String queue = new Keys("wellkeeper", Keys.SINGLE, false).of("l").queue("l");
            await().until(() -> Long.valueOf(0).equals(server.call("EXISTS", queue)));
            server.call("ACL", "SETUSER", "default", "+publish");
        }
    }

    @Test
    void heartbeat_sessionsOfOthersHaveEndedAndNobodyMayBeTold_isAcknowledged() {
        try (RedisTicketStore store = store(server.address())) {
            Session session = open(store);
            Keys.Partition partition = new Keys("wellkeeper", Keys.SINGLE, false).of("l");
            server.call("ZADD", partition.sessions(), "1", "0000000000001", "2", "0000000000002");
            server.call("ACL", "SETUSER", "default", "-publish");

            Await.get(session.heartbeat());

            assertThat(server.call("ZCARD", partition.sessions())).isEqualTo(1L);
            server.call("ACL", "SETUSER", "default", "+publish");
            Await.get(session.close());
        }
    }

    @Test
    void tryAcquire_leaseIsRefusedInTheMidstOfIt_leavesNoKey() {
        for (String scheme : List.of("redis-simple", "redis-redisson")) {
            server.call("ACL", "SETUSER", "default", "-pexpire");
            try (LeaseClient client = LeaseClient.connect(scheme + "://" + server.address())) {
                assertThatExceptionOfType(LockStoreException.class)
                        .isThrownBy(() -> client.acquireLease("l", Duration.ofHours(1)))
                        .withMessageContaining("can't run this command");

                assertThat(server.call("EXISTS", "l")).as(scheme).isEqualTo(0L);
                server.call("ACL", "SETUSER", "default", "+pexpire");
                assertThat(client.tryAcquireLease("l", Duration.ofHours(1))).isPresent();
            }
        }
    }

    @Test
    void tryAcquire_hashBesideTheLockIsOfAnotherType_isRefusedInTheServersWords() {
        server.call("SET", RedisLeaseStore.beside("l"), "foreign");
        try (LeaseClient client = LeaseClient.connect("redis-simple://" + server.address())) {
            assertThatExceptionOfType(LockStoreException.class)
                    .isThrownBy(() -> client.acquireLease("l", Duration.ofHours(1)))
                    .withMessageContaining("answers WRONGTYPE");

            assertThat(server.call("EXISTS", "l")).isEqualTo(0L);
        }
    }

    @Test
    void reconnect_timerOfTheJdkIsBlocked_keepsWhatItHolds() throws Exception {
        CountDownLatch over = new CountDownLatch(1);
        AtomicInteger connections = new AtomicInteger();
        try (LockClient client = client("")) {
            LockHandle held = client.lock("l").acquire();
            proxy.rule(words -> {
                if (words.get(0).equalsIgnoreCase("SUBSCRIBE")) {
                    connections.incrementAndGet();
                }
                return FaultProxy.FORWARD;
            });
            CountDownLatch blocked = new CountDownLatch(1);
            CompletableFuture.delayedExecutor(1, TimeUnit.MILLISECONDS, Runnable::run)
                    .execute(() -> {
                        blocked.countDown();
                        neverPass(over);
                    });
            blocked.await();

            server.call("CLIENT", "KILL", "TYPE", "pubsub");

            await().until(() -> connections.get() == 1);
            held.close();
        } finally {
            over.countDown();
        }
    }

    @Test
    void lock_givenClientWasShutDown_failsInsteadOfWaiting() throws Exception {
        RedisClient lettuce = RedisClient.create();
        try (RedisTicketStore store = RedisTicketStore.over(
                        lettuce, StoreUri.parse("redis://" + server.address() + "?restartGuard=off"));
                LockClient client = LockClient.over(
                        store,
                        ClientOptions.builder()
                                .sessionTimeout(Duration.ofSeconds(2))
                                .build())) {
            client.lock("l").acquire().close();
            lettuce.shutdown(0, 10, TimeUnit.SECONDS);

            CompletableFuture<LockHandle> acquired = client.lock("l").acquireAsync();

            assertThat(acquired)
                    .failsWithin(Duration.ofSeconds(60))
                    .withThrowableThat()
                    .withCauseInstanceOf(LockStoreException.class)
                    .withMessageContaining("was shut down");
        }
    }

    @Test
    void heartbeat_serverBeforeVersion7IsAReplicaByNow_goesToAnother() throws Exception {
        try (RedisTicketStore store = store(proxy.address())) {
            Session session = open(store);
            AtomicInteger connections = new AtomicInteger();
            proxy.rule(words -> {
                if (words.get(0).equalsIgnoreCase("SUBSCRIBE")) {
                    connections.incrementAndGet();
                }
                return connections.get() == 0 && isCall(words, Script.RENEW)
                        ? "ERR Error running script (call to f_db8d8f6383e1a67ce23db65efd679a334c123806):"
                                + " @user_script:1: @user_script: 1: -READONLY You can't write against a read only"
                                + " replica."
                        : FaultProxy.FORWARD;
            });

            Await.get(session.heartbeat());

            assertThat(connections).hasValue(1);
            Await.get(session.close());
        }
    }

    @Test
    void onNotice_endOfAnEarlierWatchComesLate_isToldAllTheSame() throws Exception {
        try (RedisTicketStore store = store(proxy.address());
                RedisTicketStore others = store(server.address())) {
            Session session = open(store);
            Session other = open(others);
            TicketQueue queue = session.queue("l");
            Registration first = queue.onNotice(() -> {});
            Await.get(queue.notice());
            CountDownLatch refused = new CountDownLatch(1);
            AtomicInteger tries = new AtomicInteger();
            proxy.rule(words -> {
                if (!isCall(words, Script.UNHEED)) {
                    return FaultProxy.FORWARD;
                }
                return switch (tries.incrementAndGet()) {
                    case 1 -> FaultProxy.LOSE_REPLY;
                    case 2 -> {
                        refused.countDown();
                        yield NOREPLICAS;
                    }
                    default -> FaultProxy.FORWARD;
                };
            });
            first.close();
            refused.await();
            AtomicReference<String> seen = new AtomicReference<>("");
            Registration next = queue.onNotice(() -> queue.notice().thenAccept(notice -> seen.set(notice.text())));
            Notice before = Await.get(queue.notice());
            await().until(() -> tries.get() == 3);
            Await.get(session.heartbeat()); // so that it has been carried out

            assertThat(Await.get(other.queue("l").post(before, "next"))).isTrue();

            await().until(() -> seen.get().equals("next"));
            next.close();
            Await.get(session.close());
            Await.get(other.close());
        }
    }

    @Test
    void holder_memoryIsFullAndTheAnswerOfAnotherRequestWasLost_keepsWhatItHolds() throws Exception {
        Duration session = Duration.ofSeconds(2);
        try (RedisTicketStore store = store(proxy.address());
                LockClient client = LockClient.over(
                        store, ClientOptions.builder().sessionTimeout(session).build())) {
            LockHandle held = client.lock("held").acquire();
            server.call("CONFIG", "SET", "maxmemory", "1");
            AtomicInteger tries = new AtomicInteger();
            proxy.rule(words -> isCall(words, Script.TAKE) && tries.incrementAndGet() == 1
                    ? FaultProxy.LOSE_REPLY
                    : FaultProxy.FORWARD);
            CompletableFuture<LockHandle> waiting = client.lock("other").acquireAsync();
            await().until(() -> tries.get() >= 2);
            long renewed = server.calls("evalsha");
            await().until(() -> tries.get() > 2 * session.toMillis() / 50 || !held.isHeld());

            held.checkHeld();
            assertThat(server.calls("evalsha")).isGreaterThan(renewed);
            server.call("CONFIG", "SET", "maxmemory", "0");
            waiting.get(60, TimeUnit.SECONDS).close();
            held.close();
        }
    }

    @Test
    void connect_serverIsLoadingForLongerThanTheStoreTimeout_isWaitedFor() throws Exception {
        Duration storeTimeout = Duration.ofSeconds(1);
        long start = System.nanoTime();
        proxy.rule(words -> isCall(words, Script.OPEN) && System.nanoTime() - start < 2 * storeTimeout.toNanos()
                ? "LOADING Redis is loading the dataset in memory"
                : FaultProxy.FORWARD);
        try (LockClient client = LockClient.connect(
                "redis://" + proxy.address() + "?restartGuard=off",
                ClientOptions.builder().storeTimeout(storeTimeout).build())) {
            client.lock("l").acquire().close();
        }
    }

    @Test
    void connect_serverIsAReplica_failsInItsWords() {
        proxy.rule(words -> isCall(words, Script.OPEN)
                ? "READONLY You can't write against a read only replica."
                : FaultProxy.FORWARD);

        assertThatExceptionOfType(LockStoreException.class)
                .isThrownBy(() -> LockClient.connect(
                        "redis://" + proxy.address() + "?restartGuard=off",
                        ClientOptions.builder()
                                .storeTimeout(Duration.ofSeconds(1))
                                .build()))
                .withMessageContaining("READONLY");
    }

    @Test
    void close_sessionIsBeingBegun_isOver() {
        AtomicInteger tries = new AtomicInteger();
        proxy.rule(words -> {
            if (isCall(words, Script.OPEN)) {
                tries.incrementAndGet();
                return FaultProxy.LOSE_REPLY;
            }
            return FaultProxy.FORWARD;
        });
        RedisTicketStore store = store(proxy.address());
        CompletionStage<Session> opening = store.open(new SessionOptions("test", Duration.ofSeconds(2)), new Nobody());
        await().until(() -> tries.get() > 1);

        store.close();

        assertThat(Await.failure(opening)).hasMessageContaining("closed");
    }

    @Test
    void heartbeat_clockWasSetBack_doesNotLookAfterEverythingEachTime() throws Exception {
        try (RedisTicketStore store = store(proxy.address())) {
            Session session = open(store);
            Await.get(session.queue("l").take(new TicketRequest("r1", Mode.EXCLUSIVE, 1, "")));
            AtomicInteger checks = new AtomicInteger();
            AtomicLong deadline = new AtomicLong(
                    System.currentTimeMillis() - Duration.ofHours(1).toMillis());
            proxy.rule(words -> {
                if (isCall(words, Script.CHECK)) {
                    checks.incrementAndGet();
                }
                return isCall(words, Script.RENEW)
                        ? FaultProxy.answer("" + deadline.get(), "" + deadline.addAndGet(1_000))
                        : FaultProxy.FORWARD;
            });
            for (int i = 0; i < 5; i++) {
                Await.get(session.heartbeat());
                Await.get(session.queue("l").tickets()); // behind whatever the heartbeat has asked
            }

            assertThat(checks).hasValueLessThan(2);
            Await.get(session.close());
        }
    }

    @Test
    void take_serverForgetsTheScriptBetweenTwo_bothHaveTickets() throws Exception {
        try (RedisTicketStore store = store(proxy.address())) {
            Session session = open(store);
            CountDownLatch bothAreSent = new CountDownLatch(1);
            AtomicInteger tries = new AtomicInteger();
            proxy.rule(words -> {
                if (!isCall(words, Script.TAKE) || tries.incrementAndGet() > 1) {
                    return FaultProxy.FORWARD; // somebody else has had it loaded meanwhile
                }
                neverPass(bothAreSent);
                return "NOSCRIPT No matching script. Please use EVAL.";
            });
            var first = session.queue("l").take(new TicketRequest("r1", Mode.EXCLUSIVE, 1, ""));
            var second = session.queue("m").take(new TicketRequest("r2", Mode.EXCLUSIVE, 1, ""));
            bothAreSent.countDown();

            Ticket later = Await.get(second).ticket();
            Ticket earlier = Await.get(first).ticket();

            assertThat(Await.get(session.queue("l").tickets())).containsExactly(earlier);
            assertThat(Await.get(session.queue("m").tickets())).containsExactly(later);
            Await.get(session.close());
        }
    }

    @Test
    void tickets_threadWasHeldUpWhileAnotherConnectionWasMade_hidesNobody() throws Exception {
        try (RedisTicketStore store = store(proxy.address());
                RedisTicketStore others = store(server.address())) {
            Session session = open(store, Duration.ofSeconds(4));
            Session other = open(others);
            TicketQueue queue = session.queue("l");
            TicketQueue theirs = other.queue("l");
            Ticket gone = take(theirs, "r1");
            Ticket left = take(theirs, "r2");
            CountDownLatch heldUp = new CountDownLatch(1);
            CountDownLatch goOn = new CountDownLatch(1);
            Queue<List<Ticket>> seen = new ConcurrentLinkedQueue<>();
            queue.onDeparture(List.of(gone), new Nobody() {
                @Override
                public void departed(Ticket ticket) {
                    heldUp.countDown();
                    neverPass(goOn);
                }
            });
            queue.onDeparture(List.of(gone), new Nobody() {
                @Override
                public void departed(Ticket ticket) {
                    queue.tickets().thenAccept(seen::add);
                }
            });
            Await.get(queue.tickets());
            Await.get(theirs.remove(gone));
            heldUp.await();
            Await.get(session.heartbeat()); // when there is another connection, because this one does not answer
            Ticket newer = take(theirs, "r3");
            assertThat(Await.get(queue.tickets())).containsExactly(left, newer);
            goOn.countDown();

            await().until(() -> !seen.isEmpty());
            assertThat(seen).containsExactly(List.of(left, newer));
            Await.get(session.close());
            Await.get(other.close());
        }
    }

    @Test
    void notice_threadWasHeldUpWhileAnotherConnectionToldOfANewerOne_isTheNewerOne() throws Exception {
        try (RedisTicketStore store = store(proxy.address());
                RedisTicketStore others = store(server.address())) {
            Session session = open(store, Duration.ofSeconds(4));
            Session other = open(others);
            TicketQueue queue = session.queue("l");
            TicketQueue theirs = other.queue("l");
            CountDownLatch heldUp = new CountDownLatch(1);
            CountDownLatch goOn = new CountDownLatch(1);
            Queue<String> seen = new ConcurrentLinkedQueue<>();
            queue.onNotice(() -> {
                if (heldUp.getCount() == 1) {
                    heldUp.countDown();
                    neverPass(goOn);
                }
            });
            queue.onNotice(() -> queue.notice().thenAccept(notice -> seen.add(notice.text())));
            assertThat(Await.get(theirs.post(Await.get(queue.notice()), "older")))
                    .isTrue();
            heldUp.await();
            Await.get(session.heartbeat()); // when there is another connection, because this one does not answer
            assertThat(Await.get(theirs.post(Await.get(theirs.notice()), "newer")))
                    .isTrue();
            await().until(() -> seen.contains("newer"));
            seen.clear();
            goOn.countDown();

            await().until(() -> !seen.isEmpty());
            assertThat(seen).containsOnly("newer");
            Await.get(session.close());
            Await.get(other.close());
        }
    }

    private static final String NOREPLICAS = "NOREPLICAS Not enough good replicas to write.";

    private static boolean isCall(List<String> words, Script script) {
        return words.size() > 1 && words.get(1).equals(script.digest());
    }

    private AtomicInteger refuseOnce(Script script, String error) {
        AtomicInteger tries = new AtomicInteger();
        proxy.rule(words -> isCall(words, script) && tries.incrementAndGet() == 1 ? error : FaultProxy.FORWARD);
        return tries;
    }

    private static RedisTicketStore store(String address) {
        return RedisTicketStore.of(StoreUri.parse("redis://" + address + "?restartGuard=off"));
    }

    private static Session open(RedisTicketStore store) {
        return open(store, Duration.ofMinutes(1));
    }

    private static Session open(RedisTicketStore store, Duration timeout) {
        return Await.get(store.open(new SessionOptions("test", timeout), new Nobody()));
    }

    private static Ticket take(TicketQueue queue, String request) {
        return Await.get(queue.take(new TicketRequest(request, Mode.EXCLUSIVE, 1, "")))
                .ticket();
    }

    /** What this connection sends from now on arrives nowhere, and nobody says so. */
    private static void neverPass(CountDownLatch over) {
        try {
            over.await();
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
    }
}
