package io.wellkeeper.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.DistributedLock;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockOptions;
import io.wellkeeper.spi.Place;
import io.wellkeeper.spi.Session;
import io.wellkeeper.spi.StoreUri;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketQueue;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Filter;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The driver ends whatever it sends, and then waits, with a Sync. */
@ExtendWith(SharedServers.class)
class RequestCountTest {

    private static final Logger DRIVER = Logger.getLogger("org.postgresql.core.v3.QueryExecutorImpl");
    private static final int ROUNDS = 20;

    private final PostgresServer server;

    RequestCountTest(PostgresServer server) {
        this.server = server;
    }

    private interface Action {
        void run() throws Exception;
    }

    private static int trips(Action action) throws Exception {
        AtomicInteger trips = new AtomicInteger();
        Filter counting = message -> {
            if (message.getMessage().contains("FE=> Sync")) {
                trips.incrementAndGet();
            }
            return false;
        };
        DRIVER.setFilter(counting);
        DRIVER.setLevel(Level.FINEST);
        try {
            action.run();
        } finally {
            DRIVER.setLevel(Level.INFO);
            DRIVER.setFilter(null);
        }
        return trips.get();
    }

    @Test
    void lockAndUnlock_whenFree_oneRoundTripEach() throws Exception {
        SqlTicketStore store = SqlTicketStore.of(StoreUri.parse(server.uri(server.port())));
        ClientOptions options = ClientOptions.builder()
                .lockDefaults(LockOptions.builder().awaitRelease(true).build())
                .build();
        try (LockClient client = LockClient.over(store, options)) {
            DistributedLock lock = client.lock("counted");
            lock.lock();
            lock.unlock();

            assertThat(trips(() -> {
                        for (int i = 0; i < ROUNDS; i++) {
                            lock.lock();
                            lock.unlock();
                        }
                    }))
                    .isEqualTo(2 * ROUNDS);
        }
    }

    @Test
    void takeAfterRemove_bothStandInLine_oneRoundTripForBoth() throws Exception {
        SqlTicketStore store = SqlTicketStore.of(StoreUri.parse(server.uri(server.port())));
        Session session = Sessions.open(store, Duration.ofSeconds(20));
        TicketQueue counted = session.queue("exchanged");
        Ticket first = Await.get(counted.take(Sessions.request("first"))).ticket();
        Await.get(session.queue("busy").take(Sessions.request("once")));
        try (Connection blocking = server.connect();
                Statement statement = blocking.createStatement()) {
            blocking.setAutoCommit(false);
            statement.execute("SELECT FROM wellkeeper_lock WHERE name = 'busy' FOR UPDATE");
            CompletionStage<Place> busy = session.queue("busy").take(Sessions.request("busy"));
            await().until(() -> !PostgresServer.blocked(statement).isEmpty());
            CompletionStage<Boolean> removed = counted.remove(first);
            CompletionStage<Place> taken = counted.take(Sessions.request("second"));
            int trips = trips(() -> {
                blocking.rollback();
                Await.get(busy);
                Await.get(taken);
            });

            assertThat(Await.get(removed)).isTrue();
            assertThat(Await.get(taken).ahead()).isEmpty();
            assertThat(Await.get(counted.tickets()))
                    .containsExactly(Await.get(taken).ticket());
            assertThat(trips).isEqualTo(2); // one of them ends the transaction that was in the way
        } finally {
            store.close();
        }
    }
}
