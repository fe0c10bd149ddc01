package io.wellkeeper.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.spi.Place;
import io.wellkeeper.spi.Session;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The database can be read, and nothing can be written. */
@ExtendWith(SharedServers.class)
class FailingTakesTest {

    private static final int TAKES = 1_000;
    private static final long BETWEEN_NANOS = Duration.ofMillis(20).toNanos(); // two looks, at least
    private static final int REFUSED = 19; // of SQLite

    private final SqliteServer file;
    private final AtomicInteger compared = new AtomicInteger();

    FailingTakesTest(SqliteServer file) {
        this.file = file;
    }

    private Object refusing(Step step, FaultySteps.Work real) throws SQLException {
        if (step == Step.TAKE) {
            throw new SQLException("not now, says the test", null, REFUSED);
        }
        if (step == Step.MINE) {
            compared.incrementAndGet();
        }
        return real.run();
    }

    /** Each may have been carried out, for all that is known; one look at all tickets of the session shows it of many. */
    @Test
    void take_manyFail_tellsNotByOneLookForEach() {
        Tables tables = new Tables(Optional.empty(), RealDatabase.prefix());
        Dialect dialect = FaultySteps.of(new Sqlite(), this::refusing);
        try (SqlTicketStore store = new SqlTicketStore(Database.of(file::connect, file.uri(0), dialect, tables))) {
            Session session = Sessions.open(store, Duration.ofMinutes(2));
            long begin = System.nanoTime();
            List<CompletionStage<Place>> all = IntStream.range(0, TAKES)
                    .mapToObj(i -> session.queue("x" + i).take(Sessions.request("r" + i)))
                    .toList();

            all.forEach(Await::failure);

            await().until(() -> compared.get() > 0);
            assertThat((long) compared.get()).isLessThanOrEqualTo(1 + (System.nanoTime() - begin) / BETWEEN_NANOS);
        }
    }
}
