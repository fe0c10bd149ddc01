package io.wellkeeper.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.spi.Mode;
import io.wellkeeper.spi.Session;
import io.wellkeeper.spi.StoreUri;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketInfo;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A session has very many tickets, of as many locks or of one: whatever looks at them is answered before others wait long. */
@Tag("full")
class ManyTicketsTest {

    private static final Duration SESSION = Duration.ofSeconds(8); // a quarter of it is the time for an answer
    private static final int TICKETS = 40_000;
    private static final int OF_ONE_LOCK = 3_000;
    private static final int AT_ONCE = 500; // as many of one's own are looked at

    private final String prefix = RealDatabase.prefix();
    private final Tables tables = new Tables(Optional.empty(), prefix);

    private Map<String, List<Ticket>> tickets(RealDatabase database, Session session) throws SQLException {
        Map<String, List<Ticket>> all = new LinkedHashMap<>();
        boolean inFile = database == RealDatabase.SQLITE;
        try (Connection connection = database.begin();
                PreparedStatement locks = connection.prepareStatement(tables.fill(
                        inFile
                                ? "INSERT INTO {lock} (name, token) VALUES (?, ?)"
                                : "INSERT INTO {lock} (name, token, queue) VALUES (?, ?, ?)"));
                PreparedStatement rows = connection.prepareStatement(tables.fill(
                        inFile
                                ? "INSERT INTO {ticket} (name, number, session, metadata, request, generation, mode,"
                                        + " permits) VALUES (?, ?, ?, '', ?, 0, 0, 1)"
                                : "INSERT INTO {ticket} (name, number, session, metadata) VALUES (?, ?, ?, '')"))) {
            for (long number = 1; number <= TICKETS; number++) {
                String name = "many/" + number;
                Ticket ticket = new Ticket(
                        number, number + ":" + session.id() + ":r" + number + ":0", session.id(), Mode.EXCLUSIVE, 1);
                locks.setString(1, name);
                locks.setLong(2, number);
                rows.setString(1, name);
                rows.setLong(2, number);
                rows.setString(3, session.id());
                if (inFile) {
                    rows.setString(4, "r" + number);
                } else {
                    locks.setString(3, " " + TicketIds.word(ticket) + " ");
                }
                locks.addBatch();
                rows.addBatch();
                all.put(name, List.of(ticket));
            }
            locks.executeBatch();
            rows.executeBatch();
            connection.commit();
        }
        return all;
    }

    @ParameterizedTest
    @CsvSource({"POSTGRESQL, interval '1 hour'", "SQLITE, 3600000"})
    void check_veryManyTickets_isAnsweredInTime(RealDatabase database, String later) throws Exception {
        String uri =
                database == RealDatabase.SQLITE ? database.uri("jdbc:", 0) : database.uri("jdbc:", database.port());
        try (SqlTicketStore store = SqlTicketStore.of(StoreUri.parse(uri + "&prefix=" + prefix))) {
            SqlSession session = (SqlSession) Sessions.open(store, SESSION);
            database.execute(tables.fill("UPDATE {session} SET expires = expires + " + later));
            Map<String, List<Ticket>> tickets = tickets(database, session);
            List<String> ids = new ArrayList<>();
            tickets.values().forEach(each -> ids.add(each.get(0).id()));

            Map<String, Long> found = Await.get(session.check(tickets));
            List<Object[]> mine = Await.get(session.run(Step.MINE, Map.of()));

            assertThat(found).containsOnlyKeys(ids);
            assertThat(mine).hasSize(TICKETS);
            Await.get(session.heartbeat());
            database.execute(tables.fill("DELETE FROM {ticket}")); // which would take long to be given back one by one
        }
    }

    @Test
    void check_veryManyTicketsOfOneLock_isAnsweredInTime() throws Exception {
        RealDatabase database = RealDatabase.POSTGRESQL;
        try (SqlTicketStore store =
                SqlTicketStore.of(StoreUri.parse(database.uri("jdbc:", database.port()) + "&prefix=" + prefix))) {
            SqlSession session = (SqlSession) Sessions.open(store, SESSION);
            database.execute(tables.fill("UPDATE {session} SET expires = expires + interval '1 hour'"));
            List<Ticket> tickets = LongStream.rangeClosed(1, OF_ONE_LOCK)
                    .mapToObj(number -> new Ticket(
                            number, number + ":" + session.id() + ":r" + number + ":0", session.id(), Mode.SHARED, 1))
                    .toList();
            String queue = tickets.stream().map(TicketIds::word).collect(Collectors.joining(" ", " ", " "));
            database.execute(
                    tables.fill("INSERT INTO {lock} (name, token, queue) VALUES ('many', 1, '" + queue + "')"));
            database.execute(tables.fill("INSERT INTO {ticket} (name, number, session, metadata) SELECT 'many', n, '"
                    + session.id() + "', 'note ' || n FROM generate_series(1, " + OF_ONE_LOCK + ") AS n"));
            List<Ticket> asked = tickets.subList(OF_ONE_LOCK - AT_ONCE, OF_ONE_LOCK);

            Map<String, Long> found = Await.get(session.check(Map.of("many", asked)));
            List<Object[]> mine = Await.get(session.run(Step.MINE, Map.of()));
            List<TicketInfo> inspected = Await.get(session.queue("many").inspect());

            assertThat(found)
                    .containsOnlyKeys(asked.stream().map(Ticket::id).toList())
                    .allSatisfy((id, left) -> assertThat(left).isGreaterThan(SESSION.toMillis()));
            assertThat(mine).hasSize(OF_ONE_LOCK);
            assertThat(inspected).extracting(TicketInfo::ticket).isEqualTo(tickets);
            assertThat(inspected)
                    .allSatisfy(each -> assertThat(each.metadata())
                            .isEqualTo("note " + each.ticket().number()));
            Await.get(session.heartbeat());
            database.execute(tables.fill("DELETE FROM {ticket}")); // which would take long to be given back one by one
        }
    }
}
