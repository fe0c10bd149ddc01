package io.wellkeeper.storekit;

import io.wellkeeper.spi.Mode;
import io.wellkeeper.spi.Place;
import io.wellkeeper.spi.Session;
import io.wellkeeper.spi.SessionListener;
import io.wellkeeper.spi.SessionOptions;
import io.wellkeeper.spi.StoreRecoveringException;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketQueue;
import io.wellkeeper.spi.TicketRequest;
import io.wellkeeper.spi.TicketStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Gives each test a fixture, closes its clients afterwards, and checks that nothing is left. */
abstract class TicketStoreKit {

    private static final AtomicInteger REQUESTS = new AtomicInteger();

    /** A name that no other test uses. */
    final String name = "kit-" + UUID.randomUUID();

    TicketStoreFixture fixture;

    private final List<Client> clients = new ArrayList<>();

    @RegisterExtension
    final NoLeftovers noLeftovers = NoLeftovers.of(this::leftovers).thenClose(() -> fixture);

    /**
     * Makes the fixture of one test.
     *
     * @return the store under test, on a server that the test may break; closed after the test
     * @throws Exception if the store cannot be used
     */
    protected abstract TicketStoreFixture newFixture() throws Exception;

    /** The client of one process: a connection, a session, and what the session's listener was told. */
    record Client(TicketStore store, Session session, Told told) {

        TicketQueue queue(String name) {
            return session.queue(name);
        }

        Place take(String name) {
            return Await.get(queue(name).take(request()));
        }
    }

    static final class Told implements SessionListener {
        final AtomicInteger suspect = new AtomicInteger();
        final AtomicInteger live = new AtomicInteger();
        final AtomicInteger lost = new AtomicInteger();

        @Override
        public void suspect(String problem) {
            suspect.incrementAndGet();
        }

        @Override
        public void live() {
            live.incrementAndGet();
        }

        @Override
        public void lost() {
            lost.incrementAndGet();
        }
    }

    @BeforeEach
    void makeFixture() throws Exception {
        fixture = newFixture();
    }

    @AfterEach
    void closeClients() {
        Map<Client, CompletionStage<?>> closing = new LinkedHashMap<>();
        clients.forEach(client -> closing.put(client, client.session().close()));
        closing.forEach((client, closed) -> {
            Await.until(
                    "end of session " + client.session().id(),
                    () -> closed.toCompletableFuture().isDone());
            client.store().close();
        });
    }

    List<String> leftovers() {
        try {
            return fixture.leftovers();
        } catch (Exception failure) {
            throw new AssertionError("cannot see what is left", failure);
        }
    }

    Client open() throws Exception {
        return open(fixture.longTimeout());
    }

    Client open(Duration timeout) throws Exception {
        Told told = new Told();
        TicketStore store = fixture.connect();
        Client client = new Client(store, open(store, new SessionOptions("kit", timeout), told), told);
        clients.add(client);
        return client;
    }

    /** Opens a session. A store that has lost its data may answer late, or ask for time. */
    private static Session open(TicketStore store, SessionOptions options, Told told) {
        AtomicReference<Session> opened = new AtomicReference<>();
        Await.until("a session", () -> {
            try {
                opened.set(Await.get(store.open(options, told)));
                return true;
            } catch (StoreRecoveringException wantsTime) {
                return false;
            }
        });
        return opened.get();
    }

    static TicketRequest request() {
        return request(Mode.EXCLUSIVE, 1, "");
    }

    static TicketRequest request(Mode mode, int permits, String metadata) {
        return new TicketRequest("r" + REQUESTS.incrementAndGet(), mode, permits, metadata);
    }

    static List<Ticket> tickets(Client client, String name) {
        return Await.get(client.queue(name).tickets());
    }

    static DepartureProbe watch(Client client, String name, Ticket... tickets) {
        DepartureProbe probe = new DepartureProbe();
        client.queue(name).onDeparture(List.of(tickets), probe);
        return probe;
    }
}
