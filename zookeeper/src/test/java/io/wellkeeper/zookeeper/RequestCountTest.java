package io.wellkeeper.zookeeper;

import static io.wellkeeper.zookeeper.Await.get;
import static io.wellkeeper.zookeeper.Requested.session;
import static io.wellkeeper.zookeeper.Requested.ticket;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.spi.Place;
import io.wellkeeper.spi.Session;
import io.wellkeeper.spi.StoreUri;
import io.wellkeeper.testservers.TcpProxy;
import io.wellkeeper.testservers.ZooKeeperProcess;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(SharedServer.class)
class RequestCountTest {

    private final Requests requests = new Requests();
    private final TcpProxy proxy;
    private final ZooKeeperTicketStore store;
    private final Session session;

    RequestCountTest(ZooKeeperProcess server) {
        proxy = TcpProxy.framed(server.port());
        proxy.rule(requests);
        store = ZooKeeperTicketStore.of(StoreUri.parse("zookeeper://" + proxy.address()));
        session = session(store);
    }

    @AfterEach
    void close() {
        get(session.close());
        store.close();
        proxy.close();
    }

    @Test
    void takeAndRemove_freeLockThatWasUsedLately_sendsThreeRequests() {
        use("count/known");
        requests.seen();
        for (int i = 0; i < 10; i++) {
            use("count/known");
        }

        List<String> expected = new ArrayList<>();
        Collections.nCopies(10, List.of("create", "list", "delete")).forEach(expected::addAll);
        assertThat(requests.seen()).isEqualTo(expected);
    }

    @Test
    void takeAndRemove_newNameInAKnownDirectory_sendsFourRequests() {
        use("count/first");
        requests.seen();
        use("count/second");

        assertThat(requests.seen()).containsExactly("createContainer", "create", "list", "delete");
    }

    @Test
    void take_freeLock_sendsEverythingBeforeTheFirstReply() {
        use("count/pipelined");
        requests.seen();
        proxy.swallowReplies(true);
        CompletionStage<Place> taken = session.queue("count/pipelined").take(ticket());
        List<String> sent = new ArrayList<>();
        await().until(() -> sent.addAll(requests.seen()) && sent.size() >= 2);
        assertThat(taken.toCompletableFuture()).isNotDone();
        proxy.swallowReplies(false);

        Place place = get(taken);

        sent.addAll(requests.seen());
        assertThat(sent).containsExactly("create", "list");
        get(session.queue("count/pipelined").remove(place.ticket()));
    }

    /** A transaction costs every server a write to its disk. */
    @Test
    void heartbeat_ticketIsHeldOrNot_sendsATransactionOrASync() {
        get(session.heartbeat());
        assertThat(requests.seen()).endsWith("sync");
        Place place = get(session.queue("count/held").take(ticket()));
        requests.seen();

        get(session.heartbeat());

        assertThat(requests.seen()).containsExactly("multi");
        get(session.queue("count/held").remove(place.ticket()));
        requests.seen();
        get(session.heartbeat());
        assertThat(requests.seen()).containsExactly("sync");
    }

    @Test
    void heartbeat_ticketIsBeingTaken_sendsATransaction() {
        requests.seen();
        proxy.swallowReplies(true);
        CompletionStage<Place> taken = session.queue("count/taken").take(ticket());
        CompletionStage<Void> heartbeat = session.heartbeat();
        proxy.swallowReplies(false);

        get(heartbeat);

        assertThat(requests.seen()).contains("multi").doesNotContain("sync");
        get(session.queue("count/taken").remove(get(taken).ticket()));
    }

    private void use(String name) {
        Place place = get(session.queue(name).take(ticket()));
        get(session.queue(name).remove(place.ticket()));
    }
}
