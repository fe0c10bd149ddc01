package io.wellkeeper.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What is told before an answer that may show the ticket is kept for that long, and no longer. */
class EarlyDeparturesTest {

    private static final int MANY = 10_000;
    private static final Database NONE = Database.of(
            () -> {
                throw new SQLException("there is no database, says the test");
            },
            "nowhere",
            new Sqlite(),
            new Tables(Optional.empty(), Tables.PREFIX));

    private final Departures departures = new SqlSession(NONE, Sessions.SILENT, Duration.ofMinutes(1)).departures();

    private static String ticket(int number) {
        return number + ":another:request:0";
    }

    @Test
    void isTold_oneOfTheRequestsUnderWayIsNotAnsweredYet_staysSo() {
        departures.taking();
        departures.departed(ticket(0), "");

        for (int i = 1; i < MANY; i++) {
            Departures.Taking other = departures.taking();
            departures.departed(ticket(i), "");
            departures.taken(other);
        }

        assertThat(departures.isTold(ticket(0))).isTrue();
        assertThat(departures.isTold(ticket(MANY - 1))).isTrue();
    }

    /** In a client that has very much to do there is always one under way. */
    @Test
    void isTold_allThatWereUnderWayThenAreAnsweredAndOthersAlwaysAre_isForgotten() {
        Departures.Taking before = departures.taking();
        for (int i = 0; i < MANY; i++) {
            departures.departed(ticket(i), "");
            Departures.Taking next = departures.taking();
            departures.taken(before);
            before = next;
        }

        departures.departed(ticket(MANY), "");

        assertThat(departures.isTold(ticket(0))).isFalse();
        assertThat(departures.isTold(ticket(MANY))).isTrue();
    }
}
