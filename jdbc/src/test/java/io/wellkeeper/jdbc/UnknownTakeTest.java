package io.wellkeeper.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A ticket is taken, the answer is lost, and whatever asks for it again fails: nobody knows that there is a ticket. */
@ExtendWith(SharedServers.class)
class UnknownTakeTest {

    private static final int FAILURES = 20; // as often as a request is tried

    private final SqliteServer server;
    private final AtomicInteger takes = new AtomicInteger();

    UnknownTakeTest(SqliteServer server) {
        this.server = server;
    }

    private SQLException failure(int take) {
        return take == 1
                ? new SQLException("the answer is lost, says the test") // so it is sent again on another connection
                : new SQLException("busy, says the test", null, 5);
    }

    /** Carries the first taking out, but loses the answer; what repeats it finds that somebody else writes. */
    private Object losing(Step step, FaultySteps.Work real) throws SQLException {
        int take = step == Step.TAKE ? takes.incrementAndGet() : 0;
        if (take > 1 && take <= FAILURES + 1) {
            throw failure(take);
        }
        Object result = real.run();
        if (take == 1) {
            throw failure(take);
        }
        return result;
    }

    @Test
    void take_answerIsLostAndRepetitionsFail_isGivenBack() throws Exception {
        Tables tables = new Tables(Optional.empty(), RealDatabase.prefix());
        Database database =
                Database.of(server::connect, server.uri(0), FaultySteps.of(new Sqlite(), this::losing), tables);
        ClientOptions patient = ClientOptions.builder()
                .sessionTimeout(Duration.ofMinutes(2))
                .storeTimeout(Duration.ofMinutes(1))
                .build();
        try (SqlTicketStore store = new SqlTicketStore(database);
                LockClient client = LockClient.over(store, patient)) {
            LockHandle handle = client.lock("unknown").acquireAsync().get(30, TimeUnit.SECONDS);

            assertThat(takes.get()).isGreaterThan(FAILURES);
            assertThat(client.admin().inspect("unknown").waiters()).isEmpty();
            handle.close();
        }
    }
}
