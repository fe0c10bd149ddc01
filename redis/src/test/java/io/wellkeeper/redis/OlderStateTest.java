package io.wellkeeper.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import io.wellkeeper.Registration;
import io.wellkeeper.spi.DepartureWatcher;
import io.wellkeeper.spi.Mode;
import io.wellkeeper.spi.Notice;
import io.wellkeeper.spi.Place;
import io.wellkeeper.spi.Session;
import io.wellkeeper.spi.SessionOptions;
import io.wellkeeper.spi.StoreUri;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketQueue;
import io.wellkeeper.spi.TicketRequest;
import io.wellkeeper.testservers.RedisProcess;
import io.wellkeeper.testservers.TcpProxy;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A server that knows of sessions, but not of the last that they did, or somebody else has done to them. */
@Tag("full")
class OlderStateTest {

    private static final Duration SESSION = Duration.ofMinutes(2); // so that nothing here is noticed because of time

    private final RedisProcess server = RedisProcess.start();
    private final TcpProxy proxy = TcpProxy.of(server.port());

    @AfterEach
    void close() {
        proxy.close();
        server.close();
    }

    private LockClient client() {
        return LockClient.connect(
                "redis://" + server.address() + "?restartGuard=off",
                ClientOptions.builder().sessionTimeout(SESSION).build());
    }

    @Test
    void unlock_isForgottenByARestart_isRepeatedAndOthersGetIn() throws Exception {
        try (LockClient one = client();
                LockClient other = client()) {
            LockHandle forgotten = one.lock("l").acquire();
            LockHandle kept = one.lock("kept").acquire();
            server.call("SAVE");
            forgotten.close();
            await().until(() -> Long.valueOf(0).equals(server.call("EXISTS", queue("l"))));
            server.restart();

            assertThat(other.lock("l").tryLock(10, TimeUnit.SECONDS)).isTrue();
            other.lock("l").unlock();
            kept.checkHeld();
            kept.close();
        }
    }

    @Test
    void unlock_isForgottenByARestartAndItsRepetitionIsRefused_isRepeatedOnceMore() throws Exception {
        try (FaultProxy faults = new FaultProxy(server.port());
                RedisTicketStore store = store(faults.address());
                LockClient one = LockClient.over(
                        store, ClientOptions.builder().sessionTimeout(SESSION).build());
                LockClient other = client()) {
            LockHandle forgotten = one.lock("l").acquire();
            server.call("SAVE");
            forgotten.close();
            await().until(() -> Long.valueOf(0).equals(server.call("EXISTS", queue("l"))));
            AtomicInteger tries = new AtomicInteger();
            faults.rule(words ->
                    words.size() > 1 && words.get(1).equals(Script.LEAVE.digest()) && tries.incrementAndGet() == 1
                            ? "NOREPLICAS Not enough good replicas to write."
                            : FaultProxy.FORWARD);
            server.restart();

            assertThat(other.lock("l").tryLock(30, TimeUnit.SECONDS)).isTrue();
            other.lock("l").unlock();
        }
    }

    @Test
    void replacement_isForgottenByARestart_ownerIsToldAndNothingOfTheTicketIsLeft() throws Exception {
        try (RedisTicketStore store = store(server.address());
                RedisTicketStore others = store(server.address())) {
            Session session = open(store);
            Session other = open(others);
            TicketQueue queue = session.queue("l");
            Ticket old = take(queue, "r1");
            server.call("SAVE");
            Ticket milder = Await.get(queue.replace(old, Mode.SHARED, 1));
            Set<Ticket> told = ConcurrentHashMap.newKeySet();
            queue.onDeparture(List.of(milder), departures(told));
            server.restart();

            await().until(() -> told.contains(milder));
            await().until(() -> Await.get(other.queue("l").tickets()).isEmpty());
            Await.get(session.close());
            Await.get(other.close());
        }
    }

    @Test
    void remove_isForgottenByARestart_isRepeatedAndEarlierTicketsStay() throws Exception {
        try (RedisTicketStore store = store(server.address())) {
            Session session = open(store);
            TicketQueue queue = session.queue("l");
            Ticket living = take(queue, "r1");
            Ticket removed = take(queue, "r2");
            server.call("SAVE");
            Await.get(queue.remove(removed));
            Ticket forgotten = take(queue, "r3");
            server.restart();

            await().until(() -> Await.get(queue.tickets()).equals(List.of(living)));
            assertThat(forgotten).isNotEqualTo(living);
            Await.get(session.close());
        }
    }

    @Test
    void take_serverInChargeByNowHasAnOlderClock_staysThoughRemovalsAreRepeated() throws Exception {
        Keys.Partition partition = new Keys("wellkeeper", Keys.SINGLE, false).of("l");
        try (FaultProxy faults = new FaultProxy(server.port());
                RedisTicketStore store = store(faults.address())) {
            Session session = open(store);
            TicketQueue queue = session.queue("l");
            long later = TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis()) + TimeUnit.HOURS.toMicros(1);
            server.call("HSET", partition.sequences(), "last", Long.toString(later));
            Await.get(queue.remove(take(queue, "r1")));
            server.call("HSET", partition.sequences(), "last", "0"); // it has not heard of that one
            AtomicInteger tries = new AtomicInteger();
            faults.rule(words ->
                    words.size() > 1 && words.get(1).equals(Script.TAKE.digest()) && tries.incrementAndGet() == 1
                            ? FaultProxy.LOSE_REPLY
                            : FaultProxy.FORWARD);

            Ticket mine = take(queue, "r2");

            assertThat(mine.number()).isLessThan(later);
            assertThat(Await.get(queue.tickets())).containsExactly(mine);
            Await.get(session.close());
        }
    }

    @Test
    void take_betweenTwoSendingsOfARepeatedRemoval_staysThoughTheServerHasAnOlderClock() throws Exception {
        Keys.Partition partition = new Keys("wellkeeper", Keys.SINGLE, false).of("l");
        try (FaultProxy faults = new FaultProxy(server.port());
                RedisTicketStore store = store(faults.address())) {
            Session session = open(store);
            TicketQueue queue = session.queue("l");
            long later = TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis()) + TimeUnit.HOURS.toMicros(1);
            server.call("HSET", partition.sequences(), "last", Long.toString(later));
            Await.get(queue.remove(take(queue, "r1")));
            server.call("HSET", partition.sequences(), "last", "0"); // it has not heard of that one
            AtomicInteger heartbeats = new AtomicInteger();
            CompletableFuture<Void> sent = new CompletableFuture<>();
            CompletableFuture<Void> taking = new CompletableFuture<>();
            CompletableFuture<Void> sentAgain = new CompletableFuture<>();
            faults.rule(words -> {
                String script = words.size() > 1 ? words.get(1) : "";
                if (script.equals(Script.RENEW.digest()) && heartbeats.incrementAndGet() == 1) {
                    return FaultProxy.LOSE_REPLY;
                } else if (script.equals(Script.LEAVE.digest()) && sent.complete(null)) {
                    Await.get(taking);
                    return "NOSCRIPT No matching script."; // so it comes once more, behind all that was sent meanwhile
                } else if (script.equals(Script.LEAVE.text())) {
                    sentAgain.complete(null);
                }
                return FaultProxy.FORWARD;
            });
            Await.get(session.heartbeat());
            Await.get(sent);
            CompletionStage<Place> taken = queue.take(new TicketRequest("r2", Mode.EXCLUSIVE, 1, ""));
            taking.complete(null);
            Ticket mine = Await.get(taken).ticket();
            Await.get(sentAgain);

            assertThat(mine.number()).isLessThan(later);
            assertThat(Await.get(queue.tickets())).containsExactly(mine);
            Await.get(session.close());
        }
    }

    @Test
    void noticeIsWatched_watchIsForgottenByARestart_nextNoticeIsTold() throws Exception {
        try (RedisTicketStore store = store(server.address());
                RedisTicketStore others = store(server.address())) {
            Session session = open(store);
            Session other = open(others);
            TicketQueue queue = session.queue("l");
            take(queue, "r1");
            server.call("SAVE");
            Set<String> seen = ConcurrentHashMap.newKeySet();
            Registration watch = queue.onNotice(() -> queue.notice().thenAccept(notice -> seen.add(notice.text())));
            Notice before = Await.get(queue.notice());
            server.restart();
            await().until(() -> !seen.isEmpty()); // it looks again because the connection was lost

            assertThat(Await.get(other.queue("l").post(before, "next"))).isTrue();

            await().until(() -> seen.contains("next"));
            watch.close();
            Await.get(session.close());
            Await.get(other.close());
        }
    }

    @Test
    void manyTicketsAreGoneWhileTheConnectionIsCut_allAreToldAtOnceWhenItIsThereAgain() throws Exception {
        int many = 1_200;
        try (RedisTicketStore store = store(proxy.address())) {
            Session session = open(store);
            Set<Ticket> told = ConcurrentHashMap.newKeySet();
            for (int i = 0; i < many; i++) {
                TicketQueue queue = session.queue("l" + i);
                Ticket ticket = take(queue, "r" + i);
                queue.onDeparture(List.of(ticket), departures(told));
            }
            proxy.refuse(true);
            proxy.cut();
            for (int i = 0; i < many; i++) {
                server.call("DEL", queue("l" + i));
            }
            proxy.refuse(false);

            await().until(() -> told.size() == many);
            Await.get(session.close());
        }
    }

    private static RedisTicketStore store(String address) {
        return RedisTicketStore.of(StoreUri.parse("redis://" + address + "?restartGuard=off"));
    }

    private static Session open(RedisTicketStore store) {
        return Await.get(store.open(new SessionOptions("test", SESSION), new Nobody()));
    }

    private static Ticket take(TicketQueue queue, String request) {
        return Await.get(queue.take(new TicketRequest(request, Mode.EXCLUSIVE, 1, "")))
                .ticket();
    }

    private static DepartureWatcher departures(Set<Ticket> told) {
        return new DepartureWatcher() {
            @Override
            public void departed(Ticket ticket) {
                told.add(ticket);
            }

            @Override
            public void changed() {}
        };
    }

    private static String queue(String lock) {
        return new Keys("wellkeeper", Keys.SINGLE, false).of(lock).queue(lock);
    }
}
