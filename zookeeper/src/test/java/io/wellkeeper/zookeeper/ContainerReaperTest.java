package io.wellkeeper.zookeeper;

import static io.wellkeeper.zookeeper.Await.get;
import static io.wellkeeper.zookeeper.Requested.session;
import static io.wellkeeper.zookeeper.Requested.ticket;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.spi.Notice;
import io.wellkeeper.spi.Place;
import io.wellkeeper.spi.Session;
import io.wellkeeper.spi.TicketQueue;
import io.wellkeeper.testservers.ZooKeeperOptions;
import io.wellkeeper.testservers.ZooKeeperProcess;
import java.time.Duration;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The server removes empty containers all the time. */
@Tag("full")
class ContainerReaperTest {

    @Test
    void take_reaperIsAlwaysAtWork_succeedsAndAtTheEndNothingIsLeft() throws Exception {
        ZooKeeperOptions options = ZooKeeperOptions.defaults()
                .property("znode.container.checkIntervalMs", "1")
                .property("znode.container.maxPerMinute", "100000000");
        try (ZooKeeperProcess server = ZooKeeperProcess.start(options);
                ZooKeeper admin = new ZooKeeper(server.address(), 10_000, event -> {})) {
            long token = -1;
            int reaped = 0;
            try (ZooKeeperTicketStore store = ZooKeeperTicketStore.of(SharedServer.uri(server, ""))) {
                Session session = session(store);
                TicketQueue untaken = session.queue("deep/down/untaken");
                assertThat(get(untaken.post(new Notice("", 0), "kept"))).isTrue();
                for (int round = 0; round < 1_000 || reaped < 20; round++) {
                    Place place = get(session.queue("deep/down/here").take(ticket()));
                    assertThat(place.ahead()).isEmpty();
                    assertThat(place.token()).isGreaterThan(token);
                    token = place.token();
                    reaped += round > 0 && place.ticket().number() == 0 ? 1 : 0;
                    assertThat(get(session.queue("deep/down/here").remove(place.ticket())))
                            .isTrue();
                }
                Notice kept = get(untaken.notice());
                assertThat(kept.text()).isEqualTo("kept");
                assertThat(get(untaken.post(kept, ""))).isTrue();
            }
            await().atMost(Duration.ofSeconds(20))
                    .untilAsserted(
                            () -> assertThat(admin.getChildren("/", false)).containsExactly("zookeeper"));
        }
    }
}
