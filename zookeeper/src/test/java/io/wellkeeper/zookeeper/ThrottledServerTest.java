package io.wellkeeper.zookeeper;

import static io.wellkeeper.zookeeper.Await.get;
import static io.wellkeeper.zookeeper.Requested.session;
import static io.wellkeeper.zookeeper.Requested.ticket;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.spi.Place;
import io.wellkeeper.spi.Session;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketQueue;
import io.wellkeeper.testservers.ZooKeeperOptions;
import io.wellkeeper.testservers.ZooKeeperProcess;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A server that has too much to do carries out no request that has waited for long, and says so. */
@Tag("full")
class ThrottledServerTest {

    private final ZooKeeperProcess server = ZooKeeperProcess.start(ZooKeeperOptions.defaults()
            .property("zookeeper.request_throttle_max_requests", "1")
            .property("zookeeper.request_throttle_stall_time", "5")
            .property("zookeeper.throttled_op_wait_time", "1"));
    private final ZooKeeperTicketStore store = ZooKeeperTicketStore.of(SharedServer.uri(server, ""));

    @AfterEach
    void close() {
        store.close();
        server.close();
    }

    @Test
    void take_someRequestsAreNotCarriedOut_leavesNoTicketOfWhichNobodyKnows() {
        Session session = session(store);
        TicketQueue queue = session.queue("busy");
        List<Ticket> taken = new ArrayList<>();
        for (int round = 0; round < 100; round++) {
            List<CompletionStage<Place>> burst =
                    List.of(queue.take(ticket()), queue.take(ticket()), queue.take(ticket()), queue.take(ticket()));
            burst.stream()
                    .map(ThrottledServerTest::getOrNull)
                    .filter(Objects::nonNull)
                    .map(Place::ticket)
                    .forEach(taken::add);
        }

        await().untilAsserted(() -> assertThat(getOrNull(queue.tickets())).containsExactlyInAnyOrderElementsOf(taken));
    }

    /** Null if it fails. */
    private static <T> @Nullable T getOrNull(CompletionStage<T> stage) {
        return get(stage.<@Nullable T>handle((value, failure) -> value));
    }
}
