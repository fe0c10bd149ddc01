package io.wellkeeper.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.Registration;
import io.wellkeeper.spi.DepartureWatcher;
import io.wellkeeper.spi.Session;
import io.wellkeeper.spi.Ticket;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Who stands right behind a ticket need not ask to be told of its departure; who stood there must. */
@Tag("full")
class DeparturesTest {

    private static final Duration TIMEOUT = Duration.ofMinutes(5);

    private static final DepartureWatcher SILENT = new DepartureWatcher() {
        @Override
        public void departed(Ticket ticket) {}

        @Override
        public void changed() {}
    };

    private final Map<RealDatabase, String> schemas =
            Map.of(RealDatabase.POSTGRESQL, "public", RealDatabase.MARIADB, "wellkeeper");

    @ParameterizedTest
    @EnumSource(names = {"POSTGRESQL", "MARIADB"})
    void onDeparture_ownTicketBehindItWasGivenBack_isWatched(RealDatabase database) throws Exception {
        String prefix = RealDatabase.prefix();
        try (SqlTicketStore store = SqlTicketStore.over(database, schemas.get(database), prefix)) {
            Session holder = Sessions.open(store, TIMEOUT);
            Session other = Sessions.open(store, TIMEOUT);
            Session asker = Sessions.open(store, TIMEOUT);
            Ticket first = take(holder, "first");
            Ticket once = take(asker, "once");
            Await.get(asker.queue("x").remove(once));
            take(other, "second");
            take(asker, "third");

            asker.queue("x").onDeparture(List.of(first), SILENT);

            assertThat(isWatchedBy(asker, database, prefix)).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"POSTGRESQL", "MARIADB"})
    void remove_othersOfOursWaitForTheOneAhead_isWatched(RealDatabase database) throws Exception {
        String prefix = RealDatabase.prefix();
        try (SqlTicketStore store = SqlTicketStore.over(database, schemas.get(database), prefix)) {
            Session holder = Sessions.open(store, TIMEOUT);
            Session other = Sessions.open(store, TIMEOUT);
            Session asker = Sessions.open(store, TIMEOUT);
            Ticket first = take(holder, "first");
            Ticket second = take(asker, "second");
            take(other, "third");
            take(asker, "fourth");
            Registration watch = asker.queue("x").onDeparture(List.of(first), SILENT);
            assertThat(isWatchedBy(asker, database, prefix)).isFalse();

            Await.get(asker.queue("x").remove(second));

            assertThat(isWatchedBy(asker, database, prefix)).isTrue();
            watch.close();
            assertThat(isWatchedBy(asker, database, prefix)).isFalse();
        }
    }

    private static Ticket take(Session session, String request) {
        return Await.get(session.queue("x").take(Sessions.request(request))).ticket();
    }

    /** By what it has asked for until now. */
    private static boolean isWatchedBy(Session session, RealDatabase database, String prefix) {
        Await.get(session.queue("x").notice()); // which is answered after what was asked before
        Tables tables = new Tables(Optional.empty(), prefix);
        return database.number(tables.fill("SELECT count(*) FROM {lock} WHERE watches LIKE '%:" + session.id() + " %'"))
                > 0;
    }
}
