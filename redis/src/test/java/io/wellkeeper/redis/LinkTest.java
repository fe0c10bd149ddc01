package io.wellkeeper.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.RedisClient;
import io.wellkeeper.spi.StoreUri;
import io.wellkeeper.testservers.RedisProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A connection that is left and then found to be the right one is kept, if others use it: as on a Cluster while a slot moves. */
@ExtendWith(SharedServers.class)
class LinkTest {

    private final FaultProxy proxy;
    private final RedisClient client = RedisClient.create();
    private final Wires wires = new Wires(client);
    private final RedisServer server;
    private final Link link = new Link(new Kept(), new Nobody(), Duration.ofMinutes(1));

    LinkTest(SingleServer servers) {
        RedisProcess master = servers.masters().get(0);
        master.call("FLUSHALL");
        proxy = new FaultProxy(master.port());
        server = RedisServer.of(StoreUri.parse("redis://" + proxy.address()));
    }

    private final class Kept implements Link.Route {

        @Override
        public CompletionStage<Wire> wire(boolean again) {
            return wires.to(server, "kept");
        }

        @Override
        public CompletionStage<Void> release(Wire wire) {
            return wires.release(wire);
        }

        @Override
        public String address() {
            return server.address();
        }
    }

    @BeforeEach
    void listen() {
        Await.get(wires.to(server, "kept")); // by another session
        Await.get(link.listen("channel", (text, connection) -> {}, () -> {}, () -> {}));
    }

    @AfterEach
    void close() {
        link.disconnect();
        client.shutdown();
        proxy.close();
    }

    private CompletableFuture<List<Object>> ask(String name) {
        return link.run(
                Script.TICKETS, List.of("sessions", name, "data", "names", "sequences"), List.of("me", "to", name));
    }

    @Test
    void keptConnection_answersToWhatWasSentBeforeComeLate_scriptThatIsForgottenLaterIsSentAgain() {
        CompletableFuture<Void> bothAreAsked = new CompletableFuture<>();
        AtomicInteger first = new AtomicInteger();
        AtomicInteger second = new AtomicInteger();
        AtomicInteger forgotten = new AtomicInteger();
        proxy.rule(words -> {
            if (words.contains("first") && first.incrementAndGet() == 1) {
                Await.get(bothAreAsked);
                return "TRYAGAIN Multiple keys request during rehashing of slot";
            }
            if (words.contains("second")) {
                int copy = second.incrementAndGet();
                if (copy <= 2) {
                    await().until(() -> link.wires() > copy); // by then it has been sent again
                }
                return copy == 1 ? "TRYAGAIN Multiple keys request during rehashing of slot" : FaultProxy.FORWARD;
            }
            return words.contains("third") && forgotten.incrementAndGet() == 1
                    ? "NOSCRIPT No matching script. Please use EVAL."
                    : FaultProxy.FORWARD;
        });
        List<CompletableFuture<List<Object>>> asked = List.of(ask("first"), ask("second"));
        bothAreAsked.complete(null);
        asked.forEach(Await::get);
        await().until(() -> second.get() == 3);

        assertThat(Await.get(ask("third"))).isEmpty();
    }

    /** Otherwise a ticket that nobody gives back would be left to the end of the session, which tells nobody of it. */
    @Test
    void send_behindTheEndThatWaits_isRefused() {
        CompletableFuture<Void> allAreAsked = new CompletableFuture<>();
        proxy.rule(words -> {
            Await.get(allAreAsked);
            return FaultProxy.FORWARD;
        });
        List<CompletableFuture<List<Object>>> asked = new ArrayList<>();
        for (int i = 0; i < 200; i++) { // more than are under way at once
            asked.add(ask("many" + i));
        }
        link.end();
        asked.add(link.send(Script.END, List.of("sessions", "names", "sequences"), List.of("me", "to")));
        CompletableFuture<List<Object>> late = link.send(
                Script.TICKETS, List.of("sessions", "late", "data", "names", "sequences"), List.of("me", "to", "late"));
        allAreAsked.complete(null);

        asked.forEach(Await::get);
        assertThat(Await.failure(late)).hasMessageContaining("was closed");
    }
}
