package io.wellkeeper.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

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
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * One thread takes tickets of two queues and gives them back, in some order, while some of the requests are refused, lose their
 * answers, or arrive late. The connection is shared with another session, so it stays when it is left.
 */
@Tag("full")
@ExtendWith(SharedServers.class)
class OrderUnderFaultsTest {

    private static final int CALLS = 60;
    private static final int FAULTS_PER_CENT = 6;
    private static final List<String> FATES = List.of(
            FaultProxy.LOSE_REPLY,
            FaultProxy.DELAY,
            "LOADING Redis is loading the dataset in memory",
            "TRYAGAIN Multiple keys request during rehashing of slot",
            FaultProxy.ALONG + "TRYAGAIN Multiple keys request during rehashing of slot",
            "NOSCRIPT No matching script. Please use EVAL.",
            FaultProxy.ALONG + "NOSCRIPT No matching script. Please use EVAL.",
            "BUSY Redis is busy running a script.",
            FaultProxy.ALONG + "BUSY Redis is busy running a script.");

    private final RedisProcess server;
    private final List<Taken> taken = new ArrayList<>();
    private final List<Removed> removed = new ArrayList<>();

    /**
     * @param name of the queue
     * @param before what had been given back before it was asked for
     */
    private record Taken(String name, CompletableFuture<Place> place, List<Removed> before) {

        boolean isThere() {
            return place.isDone() && !place.isCompletedExceptionally();
        }

        Ticket ticket() {
            return place.join().ticket();
        }

        Stream<Ticket> goneAndYetAhead() {
            return before.stream()
                    .filter(Removed::isGone)
                    .map(Removed::ticket)
                    .filter(place.join().ahead()::contains);
        }
    }

    private record Removed(Ticket ticket, CompletableFuture<Boolean> done) {

        boolean isGone() {
            return !done.isCompletedExceptionally();
        }
    }

    OrderUnderFaultsTest(SingleServer servers) {
        server = servers.masters().get(0);
    }

    @BeforeEach
    void begin() {
        server.call("FLUSHALL");
    }

    static IntStream seeds() {
        return IntStream.rangeClosed(1, 12);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void takeAndRemove_someFail_othersAreCarriedOutInTheOrderOfTheCalls(int seed) {
        try (FaultProxy proxy = new FaultProxy(server.port());
                RedisTicketStore store = store(proxy)) {
            Session other = open(store);
            Session session = open(store);
            Random faults = new Random(seed);
            proxy.rule(words -> {
                boolean isHeartbeat = words.contains(Script.RENEW.digest());
                return words.get(0).startsWith("EVAL") && !isHeartbeat ? fate(faults) : FaultProxy.FORWARD;
            });

            callAtRandom(session, new Random(-seed));
            await().until(() -> {
                session.heartbeat(); // so that also what goes along with another answer arrives
                return Stream.concat(
                                taken.stream().map(Taken::place),
                                removed.stream().map(Removed::done))
                        .allMatch(CompletableFuture::isDone);
            });

            for (String name : List.of("a", "b")) {
                assertThat(of(name).filter(Taken::isThere).map(Taken::ticket)).isSorted();
            }
            assertThat(taken.stream().filter(Taken::isThere).flatMap(Taken::goneAndYetAhead))
                    .isEmpty();
            proxy.rule(words -> FaultProxy.FORWARD);
            Await.get(session.close());
            Await.get(other.close());
        }
    }

    /** Called by several connections. */
    private static synchronized String fate(Random faults) {
        return faults.nextInt(100) < FAULTS_PER_CENT ? FATES.get(faults.nextInt(FATES.size())) : FaultProxy.FORWARD;
    }

    private void callAtRandom(Session session, Random random) {
        for (int i = 0; i < CALLS; i++) {
            String name = random.nextBoolean() ? "a" : "b";
            TicketQueue queue = session.queue(name);
            switch (random.nextInt(6)) {
                case 0 ->
                    of(name).filter(Taken::isThere)
                            .map(Taken::ticket)
                            .filter(ticket -> removed.stream().noneMatch(other -> other.ticket.equals(ticket)))
                            .findFirst()
                            .ifPresent(ticket -> removed.add(
                                    new Removed(ticket, queue.remove(ticket).toCompletableFuture())));
                case 1 -> Await.get(session.heartbeat());
                default ->
                    taken.add(new Taken(
                            name,
                            queue.take(new TicketRequest("r" + i, Mode.EXCLUSIVE, 1, ""))
                                    .toCompletableFuture(),
                            List.copyOf(removed)));
            }
        }
    }

    private Stream<Taken> of(String name) {
        return taken.stream().filter(take -> take.name.equals(name));
    }

    private static RedisTicketStore store(FaultProxy proxy) {
        return RedisTicketStore.of(StoreUri.parse("redis://" + proxy.address() + "?restartGuard=off"));
    }

    private static Session open(RedisTicketStore store) {
        return Await.get(store.open(new SessionOptions("test", Duration.ofMinutes(1)), new Nobody()));
    }
}
