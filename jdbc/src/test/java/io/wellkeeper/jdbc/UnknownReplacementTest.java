package io.wellkeeper.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.LockStoreException;
import io.wellkeeper.spi.Mode;
import io.wellkeeper.spi.Session;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketQueue;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A ticket is replaced, or not, the answer is lost, and the request that is sent again fails. */
@ExtendWith(SharedServers.class)
class UnknownReplacementTest {

    private final SqliteServer server;
    private final Tables tables = new Tables(Optional.empty(), RealDatabase.prefix());
    private final AtomicInteger replacements = new AtomicInteger();

    UnknownReplacementTest(SqliteServer server) {
        this.server = server;
    }

    private SqlTicketStore store(boolean isDone) {
        FaultySteps.Fault fault = (step, real) -> {
            if (step != Step.REPLACE) {
                return real.run();
            }
            if (replacements.incrementAndGet() > 1) {
                throw new SQLException("disk full, says the test", null, 13);
            }
            if (isDone) {
                real.run();
            }
            throw new SQLException("the answer is lost, says the test"); // so it is sent again on another connection
        };
        return new SqlTicketStore(
                Database.of(server::connect, server.uri(0), FaultySteps.of(new Sqlite(), fault), tables));
    }

    @Test
    void replace_isDoneButItsAnswerIsLostAndRepetitionFails_isFoundOut() {
        try (SqlTicketStore store = store(true)) {
            Session session = Sessions.open(store, Duration.ofMinutes(2));
            TicketQueue queue = session.queue("unknown");
            Ticket mine = Await.get(queue.take(Sessions.request("mine"))).ticket();

            Ticket milder = Await.get(queue.replace(mine, Mode.SHARED, 1));

            assertThat(replacements).hasValue(2);
            assertThat(Await.get(queue.tickets())).containsExactly(milder);
            assertThat(milder.mode()).isEqualTo(Mode.SHARED);
            assertThat(Await.get(queue.remove(milder))).isTrue();
            assertThat(Await.get(queue.tickets())).isEmpty();
        }
    }

    @Test
    void replace_isNotDoneAndRepetitionFails_fails() {
        try (SqlTicketStore store = store(false)) {
            Session session = Sessions.open(store, Duration.ofMinutes(2));
            TicketQueue queue = session.queue("unknown");
            Ticket mine = Await.get(queue.take(Sessions.request("mine"))).ticket();

            LockStoreException failure = Await.failure(queue.replace(mine, Mode.SHARED, 1));

            assertThat(failure).hasMessageContaining("disk full");
            assertThat(Await.get(queue.tickets())).containsExactly(mine);
        }
    }
}
