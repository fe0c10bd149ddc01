package io.wellkeeper.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.Registration;
import io.wellkeeper.spi.Mode;
import io.wellkeeper.spi.Place;
import io.wellkeeper.spi.Session;
import io.wellkeeper.spi.SessionOptions;
import io.wellkeeper.spi.StoreUri;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketQueue;
import io.wellkeeper.spi.TicketRequest;
import io.wellkeeper.testservers.RedisProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A request is carried out, but its answer is lost; when it is sent again, the server refuses: then nobody knows what has
 * become of it, until the server answers.
 */
@Tag("full")
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SecondTryTest {

    private static final Set<Script> NOT_AWAITED =
            EnumSet.of(Script.CHECK, Script.TOUCH, Script.WATCH, Script.UNWATCH, Script.HEED, Script.UNHEED);

    private static RedisProcess server;

    @BeforeAll
    static void startServer() {
        server = RedisProcess.start();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    /** Has the first try of a script carried out without an answer, and the second refused. */
    private static AtomicInteger refuseSecondTry(FaultProxy proxy, Script script, String error) {
        AtomicInteger tries = new AtomicInteger();
        proxy.rule(words -> {
            if (words.size() < 2 || !words.get(1).equals(script.digest())) {
                return FaultProxy.FORWARD;
            }
            return switch (tries.incrementAndGet()) {
                case 1 -> FaultProxy.LOSE_REPLY;
                case 2 -> error;
                default -> FaultProxy.FORWARD;
            };
        });
        return tries;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "LOADING Redis is loading the dataset in memory",
                "MOVED 1 127.0.0.1:1",
                "ASK 1 127.0.0.1:1",
                "TRYAGAIN Multiple keys request during rehashing of slot",
                "CLUSTERDOWN The cluster is down",
                "READONLY You can't write against a read only replica.",
                "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
                "NOREPLICAS Not enough good replicas to write.",
                "MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk.",
                "OOM command not allowed when used memory > 'maxmemory'.",
                "ERR something else"
            })
    void everyRequest_firstAnswerIsLostAndSecondIsAnError_isCarriedOutOnce(String error) throws Exception {
        try (FaultProxy proxy = new FaultProxy(server.port());
                RedisTicketStore own = store(proxy.address());
                RedisTicketStore others = store(server.address())) {
            Set<Script> untried = EnumSet.allOf(Script.class);
            for (Script script : Script.values()) {
                AtomicInteger tries = refuseSecondTry(proxy, script, error);
                use(own, others, script + " " + error);
                if (tries.get() > 2) {
                    untried.remove(script);
                }
            }
            assertThat(untried).isSubsetOf(NOT_AWAITED);
        }
    }

    @Test
    void take_manyAreInDoubtAndOneIsRefusedThen_areNumberedInTheOrderOfTheCalls() throws Exception {
        try (FaultProxy proxy = new FaultProxy(server.port());
                RedisTicketStore store = store(proxy.address())) {
            TicketQueue queue = open(store).queue("order");
            take(queue, "first");
            AtomicInteger tries = new AtomicInteger();
            proxy.rule(words -> {
                if (words.size() < 2 || !words.get(1).equals(Script.TAKE.digest())) {
                    return FaultProxy.FORWARD;
                }
                return switch (tries.incrementAndGet()) {
                    case 1 -> FaultProxy.LOSE_REPLY;
                    case 3 -> "LOADING Redis is loading the dataset in memory";
                    default -> FaultProxy.FORWARD;
                };
            });
            List<CompletionStage<Place>> places = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                places.add(queue.take(new TicketRequest("r" + i, Mode.EXCLUSIVE, 1, "")));
            }

            List<Ticket> taken =
                    places.stream().map(place -> Await.get(place).ticket()).toList();
            assertThat(taken).isSorted();
            assertThat(tickets(queue)).endsWith(taken.toArray(Ticket[]::new)).hasSize(21);
        }
    }

    /** Every kind of request. */
    private static void use(RedisTicketStore own, RedisTicketStore others, String name) {
        Session other = open(others);
        Ticket ahead = take(other.queue(name), "r1");
        Ticket nearest = take(other.queue(name), "r2");
        Session session = open(own);
        TicketQueue queue = session.queue(name);

        Ticket first = take(queue, "r1");
        Ticket second = take(queue, "r2");
        Registration watch = queue.onDeparture(List.of(ahead), new Nobody());
        assertThat(tickets(queue)).as(name).containsExactly(ahead, nearest, first, second);
        watch.close();
        Await.get(session.heartbeat());
        Await.get(queue.remove(first));
        assertThat(tickets(other.queue(name))).as(name).containsExactly(ahead, nearest, second);
        Ticket milder = Await.get(queue.replace(second, Mode.SHARED, 1));
        Await.get(queue.describe(milder, "text"));
        assertThat(Await.get(queue.alone(milder, () -> {}))).as(name).isTrue();
        assertThat(tickets(queue)).as(name).containsExactly(ahead, nearest, milder);
        assertThat(Await.get(queue.inspect())).hasSize(3);
        Registration notices = queue.onNotice(() -> {});
        Await.get(queue.post(Await.get(queue.notice()), "notice"));
        assertThat(Await.get(queue.notice()).text()).isEqualTo("notice");
        notices.close();
        assertThat(Await.get(session.names(name))).containsExactly(name);
        Await.get(session.close());
        assertThat(tickets(other.queue(name))).as(name).containsExactly(ahead, nearest);
        Await.get(other.close());
    }

    private static List<Ticket> tickets(TicketQueue queue) {
        return Await.get(queue.tickets());
    }

    private static RedisTicketStore store(String address) {
        return RedisTicketStore.of(StoreUri.parse("redis://" + address + "?restartGuard=off"));
    }

    private static Session open(RedisTicketStore store) {
        return Await.get(store.open(new SessionOptions("test", Duration.ofMinutes(1)), new Nobody()));
    }

    private static Ticket take(TicketQueue queue, String request) {
        return Await.get(queue.take(new TicketRequest(request, Mode.EXCLUSIVE, 1, "")))
                .ticket();
    }
}
