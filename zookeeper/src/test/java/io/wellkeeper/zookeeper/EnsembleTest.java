package io.wellkeeper.zookeeper;

import static io.wellkeeper.zookeeper.Await.get;
import static io.wellkeeper.zookeeper.Requested.session;
import static io.wellkeeper.zookeeper.Requested.ticket;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.spi.Place;
import io.wellkeeper.spi.Session;
import io.wellkeeper.spi.StoreUri;
import io.wellkeeper.testservers.ZooKeeperEnsemble;
import io.wellkeeper.testservers.ZooKeeperProcess;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("full")
class EnsembleTest {

    @Test
    void leaderIsKilled_ticketsStayAndTokensGrow() {
        Told told = new Told();
        try (ZooKeeperEnsemble ensemble = ZooKeeperEnsemble.start();
                ZooKeeperTicketStore store =
                        ZooKeeperTicketStore.of(StoreUri.parse("zookeeper://" + ensemble.address()))) {
            Session session = session(store, told, Duration.ofSeconds(10));
            Place before = get(session.queue("x").take(ticket()));
            ZooKeeperProcess leader = ensemble.leader();
            leader.kill();
            assertThat(ensemble.leader()).isNotSameAs(leader);

            Place after = get(session.queue("x").take(ticket()));

            assertThat(after.ahead()).containsExactly(before.ticket());
            assertThat(after.token()).isGreaterThan(before.token());
            leader.restart();
            await().until(() -> ensemble.followers().size() == 2);
            assertThat(get(session.queue("x").tickets())).containsExactly(before.ticket(), after.ticket());
            assertThat(told.all).doesNotContain("lost");
        }
    }

    @Test
    void heartbeat_followerCannotReachTheLeader_isNotAnsweredThoughReadsAre() {
        try (ZooKeeperEnsemble ensemble = ZooKeeperEnsemble.start()) {
            ZooKeeperProcess leader = ensemble.leader();
            StoreUri follower =
                    StoreUri.parse("zookeeper://" + ensemble.followers().get(0).address());
            try (ZooKeeperTicketStore store = ZooKeeperTicketStore.of(follower)) {
                Session beating = session(store);
                Session reading = session(store);
                get(beating.heartbeat());
                leader.pause();
                var heartbeat = beating.heartbeat();

                assertThat(get(reading.queue("x").tickets())).isEmpty();
                assertThat(heartbeat.toCompletableFuture()).isNotDone();

                leader.resume();
                await().atMost(Duration.ofSeconds(20)).until(heartbeat.toCompletableFuture()::isDone);
            }
        }
    }
}
