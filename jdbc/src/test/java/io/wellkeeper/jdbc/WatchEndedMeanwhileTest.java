package io.wellkeeper.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.Registration;
import io.wellkeeper.spi.DepartureWatcher;
import io.wellkeeper.spi.Session;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketQueue;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** One of a client's waiters watches nobody any more while another one's ticket is taken, with which the same one is watched. */
@ExtendWith(SharedServers.class)
class WatchEndedMeanwhileTest {

    private static final Duration LONG = Duration.ofMinutes(10);

    private static final DepartureWatcher SILENT = new DepartureWatcher() {
        @Override
        public void departed(Ticket ticket) {}

        @Override
        public void changed() {}
    };

    private final Tables tables = new Tables(Optional.empty(), RealDatabase.prefix());
    private final SqliteServer file;
    private Registration ending = Registration.NONE; // touched by the thread of the requests while one is carried out

    WatchEndedMeanwhileTest(SqliteServer file) {
        this.file = file;
    }

    private Object ending(Step step, FaultySteps.Work real) throws SQLException {
        Object answer = real.run();
        if (step == Step.TAKE) {
            ending.close();
        }
        return answer;
    }

    private static Ticket take(TicketQueue queue, String request) {
        return Await.get(queue.take(Sessions.request(request))).ticket();
    }

    @Test
    void onDeparture_watchOfAnotherEndedWhileTheTicketWasTaken_isWatched() throws Exception {
        Dialect dialect = FaultySteps.of(new Sqlite(), this::ending);
        try (SqlTicketStore store = new SqlTicketStore(Database.of(file::connect, file.uri(0), dialect, tables))) {
            Ticket first = take(Sessions.open(store, LONG).queue("x"), "first");
            Session waiting = Sessions.open(store, LONG);
            TicketQueue queue = waiting.queue("x");
            take(queue, "second");
            ending = queue.onDeparture(List.of(first), SILENT);
            take(queue, "third");

            queue.onDeparture(List.of(first), SILENT);

            Await.get(queue.notice()); // which is answered after what was asked before
            assertThat(watches(waiting)).isEqualTo(1);
        }
    }

    private long watches(Session session) throws SQLException {
        try (Connection connection = file.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(
                        tables.fill("SELECT count(*) FROM {watch} WHERE session = '" + session.id() + "'"))) {
            row.next();
            return row.getLong(1);
        }
    }
}
