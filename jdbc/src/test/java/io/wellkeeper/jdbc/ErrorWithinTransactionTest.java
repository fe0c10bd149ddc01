package io.wellkeeper.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.spi.Session;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Something else than the database fails in the midst of a transaction, such as memory that is not to be had. */
@ExtendWith(SharedServers.class)
class ErrorWithinTransactionTest {

    private static final Duration LONG = Duration.ofMinutes(2);

    private final SqliteServer file;
    private final Tables tables = new Tables(Optional.empty(), RealDatabase.prefix());

    ErrorWithinTransactionTest(SqliteServer file) {
        this.file = file;
    }

    private SqlTicketStore store() {
        return new SqlTicketStore(Database.of(file::connect, file.uri(0), new Sqlite(), tables));
    }

    @Test
    void run_failsByAnError_transactionIsInNobodysWay() {
        try (SqlTicketStore others = store();
                SqlTicketStore store = store()) {
            SqlSession session = (SqlSession) Sessions.open(store, LONG);
            Session another = Sessions.open(others, LONG);

            assertThat(Await.failure(session.run(Step.TAKE, Map.of()))).hasMessageContaining("NullPointerException");

            Await.get(another.queue("x").take(Sessions.request("another")));
            Await.get(session.queue("x").take(Sessions.request("next")));
        }
    }
}
