package io.wellkeeper.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.spi.StoreUri;
import io.wellkeeper.testservers.RedisProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How many requests are under way after answers that took a while. */
class LeaseLinkTest {

    private static final int WIDEST = 128;
    private static final Duration WHILE = LeaseLink.SLOW.plusMillis(10);

    private final RedisProcess server = RedisProcess.start();
    private final LeaseConnector connector = new LeaseConnector();

    @AfterEach
    void close() {
        connector.close(CompletableFuture.completedFuture(null));
        server.close();
    }

    private int underWay(Duration slow) {
        LeaseLink link = new LeaseLink(
                server.address(),
                Await.get(connector.connect(RedisServer.of(StoreUri.parse("redis://" + server.address()))
                        .uri("link"))),
                slow,
                List.of(),
                (channel, message) -> {});
        AtomicInteger sent = new AtomicInteger();
        server.pause();
        List<CompletableFuture<List<Object>>> asked = ask(link, sent);
        long since = System.nanoTime();
        await().until(() -> System.nanoTime() - since > WHILE.toNanos());
        server.resume();
        asked.forEach(Await::get);
        assertThat(sent).hasValue(WIDEST);

        server.pause();
        asked = ask(link, sent);
        int underWay = sent.get() - WIDEST;
        server.resume();
        asked.forEach(Await::get);
        link.end();
        return underWay;
    }

    private static List<CompletableFuture<List<Object>>> ask(LeaseLink link, AtomicInteger sent) {
        List<CompletableFuture<List<Object>>> asked = new ArrayList<>();
        for (int i = 0; i < WIDEST; i++) {
            asked.add(link.run(
                    LeaseScript.LEASE_RELEASE,
                    List.of("lock", "hash"),
                    List.of("me", "channel"),
                    sent::incrementAndGet));
        }
        return asked;
    }

    @Test
    void run_answersWereSlowForWhoWaits_fewerAreUnderWay() {
        assertThat(underWay(LeaseLink.SLOW.dividedBy(2))).isLessThan(WIDEST / 2);
    }

    @Test
    void run_answersWereNotSlowForWhoWaits_asManyAreUnderWay() {
        assertThat(underWay(Duration.ofMinutes(1))).isGreaterThan(WIDEST / 2);
    }
}
