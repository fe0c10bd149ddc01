package io.wellkeeper.zookeeper;

import static io.wellkeeper.zookeeper.Await.failure;
import static io.wellkeeper.zookeeper.Await.get;
import static io.wellkeeper.zookeeper.Requested.session;
import static io.wellkeeper.zookeeper.Requested.ticket;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.spi.Place;
import io.wellkeeper.spi.Session;
import io.wellkeeper.spi.SessionLostException;
import io.wellkeeper.spi.StoreUri;
import io.wellkeeper.testservers.TcpProxy;
import io.wellkeeper.testservers.ZooKeeperProcess;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** More requests at once than are sent at once. */
@Tag("full")
@ExtendWith(SharedServer.class)
class RequestWindowTest {

    private static final int MANY = 2_000;

    private final Requests requests = new Requests();
    private final TcpProxy proxy;
    private final ZooKeeperTicketStore store;
    private final Session session;

    RequestWindowTest(ZooKeeperProcess server) {
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

    private List<CompletionStage<Place>> takeMany(String name) {
        return take(MANY, name);
    }

    private List<CompletionStage<Place>> take(int many, String name) {
        List<CompletionStage<Place>> places = new ArrayList<>();
        for (int i = 0; i < many; i++) {
            places.add(session.queue(name).take(ticket()));
        }
        return places;
    }

    @Test
    void heartbeat_thousandsOfRequestsWait_overtakesThem() {
        get(session.queue("window/overtaken").take(ticket())); // from now on the queue is known: else the others wait
        proxy.swallowReplies(true);
        requests.seen();
        List<CompletionStage<Place>> places = takeMany("window/overtaken");
        CompletionStage<Void> heartbeat = session.heartbeat();
        List<String> sent = new ArrayList<>();
        await().until(() -> sent.addAll(requests.seen()) && sent.contains("multi"));

        assertThat(sent).hasSize(RequestWindow.SIZE + 1);

        proxy.swallowReplies(false);
        get(heartbeat);
        places.forEach(Await::get);
    }

    @Test
    void take_moreThanFit_areNumberedInTheOrderOfTheCalls() {
        assertThat(numbers(takeMany("window/order/of/calls"))).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void take_othersMakeTheQueueMeanwhile_areNumberedInTheOrderOfTheCalls(ZooKeeperProcess server) {
        String name = "window/made/by/others";
        ZooKeeperTicketStore others = ZooKeeperTicketStore.of(SharedServer.uri(server, ""));
        Session other = session(others);
        proxy.swallowReplies(true);
        List<CompletionStage<Place>> places = new ArrayList<>(take(10, name));
        await().until(() -> requests.seen().contains("list")); // the first, at least, has found no queue by then
        get(other.queue(name).take(ticket()));
        places.addAll(take(10, name));
        get(other.close());
        others.close();
        proxy.swallowReplies(false);

        assertThat(numbers(places)).isSorted().doesNotHaveDuplicates();
    }

    private static List<Long> numbers(List<CompletionStage<Place>> places) {
        return places.stream().map(place -> get(place).ticket().number()).toList();
    }

    @Test
    void take_sessionEndsWhileThousandsWait_allFail() {
        proxy.swallowReplies(true);
        List<CompletionStage<Place>> places = takeMany("window/ended");
        ((ZooKeeperSession) session).link().zooKeeper().getTestable().injectSessionExpiration();

        assertThat(places).allSatisfy(place -> assertThat(failure(place)).isInstanceOf(SessionLostException.class));
    }
}
