package io.wellkeeper.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.spi.DepartureWatcher;
import io.wellkeeper.spi.Session;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketQueue;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Somebody else, such as an operator, removes a ticket of this session. */
@ExtendWith(SharedServers.class)
class OwnTicketRemovedTest {

    private static final Duration TIMEOUT = Duration.ofMinutes(20); // it looks by itself after a quarter of that

    private final SqliteServer file;

    OwnTicketRemovedTest(SqliteServer file) {
        this.file = file;
    }

    private static DepartureWatcher watcher(Consumer<Ticket> departed) {
        return new DepartureWatcher() {
            @Override
            public void departed(Ticket ticket) {
                departed.accept(ticket);
            }

            @Override
            public void changed() {}
        };
    }

    /** By then it is no ticket of the session's own any more, of which the owner would be told. */
    @Test
    void onDeparture_onceMoreWhileItIsToldOf_isToldOnceMore() {
        Tables tables = new Tables(Optional.empty(), RealDatabase.prefix());
        try (SqlTicketStore store = new SqlTicketStore(Database.of(file::connect, file.uri(0), new Sqlite(), tables))) {
            Session owner = Sessions.open(store, TIMEOUT);
            Session other = Sessions.open(store, TIMEOUT);
            TicketQueue queue = owner.queue("x");
            Ticket mine = Await.get(queue.take(Sessions.request("mine"))).ticket();
            CompletableFuture<Ticket> again = new CompletableFuture<>();
            queue.onDeparture(
                    List.of(mine), watcher(gone -> queue.onDeparture(List.of(gone), watcher(again::complete))));

            assertThat(Await.get(other.queue("x").remove(mine))).isTrue();

            assertThat(Await.get(again)).isEqualTo(mine);
        }
    }
}
