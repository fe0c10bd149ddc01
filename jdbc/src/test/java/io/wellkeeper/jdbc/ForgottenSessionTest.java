package io.wellkeeper.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.spi.DepartureWatcher;
import io.wellkeeper.spi.SessionListener;
import io.wellkeeper.spi.SessionOptions;
import io.wellkeeper.spi.Ticket;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The tables are empty of a sudden: a session that the database does not know takes nothing that it does not see for gone. */
class ForgottenSessionTest {

    private static final Duration TIMEOUT = Duration.ofMinutes(5);

    private final RealDatabase database = RealDatabase.POSTGRESQL;
    private final Tables tables = new Tables(Optional.of("public"), RealDatabase.prefix());
    private final Queue<Ticket> departed = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean lost = new AtomicBoolean();

    private final SessionListener listener = Sessions.listener(() -> lost.set(true));

    private final DepartureWatcher watcher = new DepartureWatcher() {
        @Override
        public void departed(Ticket ticket) {
            departed.add(ticket);
        }

        @Override
        public void changed() {}
    };

    /** With none that may listen, news are looked for. */
    @ParameterizedTest
    @ValueSource(ints = {0, 100})
    void onDeparture_databaseHasForgottenTheAsker_isNotReported(int listeners) throws Exception {
        try (SqlTicketStore store = SqlTicketStore.over(database, "public", tables.prefix(), listeners)) {
            SqlSession holder = (SqlSession) Sessions.open(store, TIMEOUT);
            Ticket first =
                    Await.get(holder.queue("x").take(Sessions.request("first"))).ticket();
            SqlSession asker = (SqlSession) Await.get(store.open(new SessionOptions("asker", TIMEOUT), listener));
            Await.get(asker.queue("x").take(Sessions.request("second")));
            asker.queue("x").onDeparture(List.of(first), watcher);
            Await.get(asker.check(Map.of("x", List.of(first)))); // by now it is watched

            database.execute(tables.fill("TRUNCATE {ticket}, {lock}, {session}"));
            asker.departures().look();
            if (listeners > 0) {
                for (int i = 0; i < 3; i++) { // by then what the look leads to was asked
                    Await.get(asker.queue("x").notice());
                }
                // comes behind whatever the session has told itself
                database.execute("SELECT pg_notify('" + tables.channel() + asker.id() + "', 'x')");
            }
            await().until(() -> lost.get() || !departed.isEmpty());

            assertThat(departed).isEmpty();
        }
    }
}
