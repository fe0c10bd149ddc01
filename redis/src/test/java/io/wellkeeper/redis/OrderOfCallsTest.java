package io.wellkeeper.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.spi.Mode;
import io.wellkeeper.spi.Place;
import io.wellkeeper.spi.SessionOptions;
import io.wellkeeper.spi.StoreUri;
import io.wellkeeper.spi.TicketQueue;
import io.wellkeeper.spi.TicketRequest;
import io.wellkeeper.testservers.RedisProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Requests of one thread are carried out in the order of its calls, also where some have to be sent again. */
@ExtendWith(SharedServers.class)
class OrderOfCallsTest {

    private final RedisProcess server;

    OrderOfCallsTest(SingleServer servers) {
        server = servers.masters().get(0);
    }

    @Test
    void take_serverForgetsTheScript_areNumberedInTheOrderOfTheCalls() {
        try (FaultProxy proxy = new FaultProxy(server.port());
                RedisTicketStore store =
                        RedisTicketStore.of(StoreUri.parse("redis://" + proxy.address() + "?restartGuard=off"))) {
            TicketQueue queue = Await.get(store.open(new SessionOptions("test", Duration.ofMinutes(1)), new Nobody()))
                    .queue("order");
            CountDownLatch someAreSent = new CountDownLatch(1);
            CountDownLatch allAreSent = new CountDownLatch(1);
            AtomicInteger refused = new AtomicInteger();
            AtomicBoolean known = new AtomicBoolean();
            proxy.rule(words -> {
                known.compareAndSet(false, words.size() > 1 && words.get(1).equals(Script.TAKE.text()));
                if (known.get() || words.size() < 2 || !words.get(1).equals(Script.TAKE.digest())) {
                    return FaultProxy.FORWARD;
                }
                neverPass(
                        refused.incrementAndGet() == 1
                                ? someAreSent
                                : allAreSent); // so the first is sent again amidst the others
                return "NOSCRIPT No matching script. Please use EVAL.";
            });
            List<CompletionStage<Place>> places = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                places.add(queue.take(request(i)));
            }
            someAreSent.countDown();
            await().pollInterval(Duration.ofMillis(5)).until(() -> {
                places.add(queue.take(request(places.size())));
                return places.size() == 20;
            });
            allAreSent.countDown();

            assertThat(places.stream()
                            .map(place -> Await.get(place).ticket().number())
                            .toList())
                    .isSorted()
                    .doesNotHaveDuplicates();
        }
    }

    private static TicketRequest request(int number) {
        return new TicketRequest("r" + number, Mode.EXCLUSIVE, 1, "");
    }

    private static void neverPass(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException interrupted) {
            throw new AssertionError(interrupted);
        }
    }
}
