package io.wellkeeper.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.spi.Place;
import io.wellkeeper.spi.Session;
import io.wellkeeper.spi.StoreUri;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketQueue;
import io.wellkeeper.testservers.PostgresProcess;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What has been answered is there when the server is back after a crash, however late it writes what it need not. */
@Tag("full")
class PostgresDurabilityTest {

    private static final Duration LONG = Duration.ofSeconds(60); // so that no heartbeat forces anything meanwhile

    @Test
    void remove_bySomebodyElseJustBeforeACrashOfTheServer_isDoneForGood() {
        try (PostgresProcess server = PostgresProcess.start("wal_writer_delay=10000")) {
            SqlTicketStore holders = SqlTicketStore.of(StoreUri.parse(server.jdbcUrl()));
            SqlTicketStore others = SqlTicketStore.of(StoreUri.parse(server.jdbcUrl()));
            try {
                TicketQueue held = Sessions.open(holders, LONG).queue("broken");
                Session other = Sessions.open(others, LONG);
                Ticket broken = Await.get(held.take(Sessions.request("broken"))).ticket();
                CompletionStage<Place> next = other.queue("broken").take(Sessions.request("next"));
                assertThat(Await.get(next).ahead()).containsExactly(broken);

                assertThat(Await.get(other.queue("broken").remove(broken))).isTrue();
                server.restart();

                assertThat(Await.get(other.queue("broken").tickets()))
                        .containsExactly(Await.get(next).ticket());
            } finally {
                holders.close();
                others.close();
            }
        }
    }
}
