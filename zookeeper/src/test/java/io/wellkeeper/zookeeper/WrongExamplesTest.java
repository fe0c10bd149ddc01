package io.wellkeeper.zookeeper;

import static io.wellkeeper.zookeeper.Await.get;
import static io.wellkeeper.zookeeper.Requested.session;
import static io.wellkeeper.zookeeper.Requested.ticket;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.spi.Place;
import io.wellkeeper.spi.Session;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.testservers.ZooKeeperProcess;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A lock as articles often show it, what becomes of it, and beside it what becomes of ours. */
@ExtendWith(SharedServer.class)
class WrongExamplesTest {

    private static final int WAITERS = 5;

    private final ZooKeeperProcess server;

    WrongExamplesTest(ZooKeeperProcess server) {
        this.server = server;
    }

    @Test
    void oneNodeForAll_isReleased_wakesEverybody() throws Exception {
        String node = "/herd";
        AtomicInteger woken = new AtomicInteger();
        List<ZooKeeper> all = new ArrayList<>();
        try {
            for (int i = 0; i <= WAITERS; i++) {
                all.add(new ZooKeeper(server.address(), 10_000, event -> {}));
            }
            all.get(0).create(node, new byte[0], ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);
            for (ZooKeeper waiter : all.subList(1, all.size())) {
                waiter.exists(node, event -> {
                    if (event.getType() == EventType.NodeDeleted) {
                        woken.incrementAndGet();
                    }
                });
            }

            all.get(0).delete(node, -1);

            await().until(() -> woken.get() == WAITERS); // and one of them gets in
        } finally {
            for (ZooKeeper each : all) {
                each.close();
            }
        }
    }

    @Test
    void queue_isReleased_wakesOne() {
        String name = "no/herd";
        try (ZooKeeperTicketStore store = ZooKeeperTicketStore.of(SharedServer.uri(server, ""))) {
            Session[] sessions = new Session[WAITERS + 1];
            Ticket[] tickets = new Ticket[WAITERS + 1];
            Told[] told = new Told[WAITERS + 1];
            for (int i = 0; i <= WAITERS; i++) {
                sessions[i] = session(store);
                Place place = get(sessions[i].queue(name).take(ticket()));
                tickets[i] = place.ticket();
                told[i] = new Told();
                if (i > 0) {
                    sessions[i].queue(name).onDeparture(List.of(tickets[i - 1]), told[i]); // whoever is just ahead
                }
            }
            for (int i = 0; i < WAITERS; i++) {
                get(sessions[i].queue(name).remove(tickets[i]));
                Told next = told[i + 1];
                await().until(() -> next.all.size() == 1);
                for (int j = i + 2; j <= WAITERS; j++) {
                    get(sessions[j].heartbeat()); // after which it would have been told
                    assertThat(told[j].all).isEmpty();
                }
            }
            for (Session each : sessions) {
                get(each.close());
            }
        }
    }
}
