package io.wellkeeper.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.spi.TicketQueue;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A notice that no message of PostgreSQL's has room for is read when the message comes. */
@ExtendWith(SharedServers.class)
class LongNoticeTest {

    private static final Duration TIMEOUT = Duration.ofMinutes(2);
    private static final String LONG = "long".repeat(2_500);
    private static final String NO_MEMORY = "53200";

    private final PostgresServer server;
    private final Tables tables = new Tables(Optional.empty(), RealDatabase.prefix());
    private final AtomicBoolean refuses = new AtomicBoolean(true);
    private final List<String> read = new CopyOnWriteArrayList<>();

    LongNoticeTest(PostgresServer server) {
        this.server = server;
    }

    private SqlTicketStore store(Dialect dialect) {
        return new SqlTicketStore(Database.of(server::connect, "a database", dialect, tables));
    }

    private Object refusing(Step step, FaultySteps.Work real) throws SQLException {
        if (step == Step.NEWS && refuses.getAndSet(false)) {
            throw new SQLException("not now, says the test", NO_MEMORY);
        }
        return real.run();
    }

    @Test
    void onNotice_itCannotBeReadAtFirst_isToldAllTheSame() {
        try (SqlTicketStore others = store(new PostgreSql());
                SqlTicketStore store = store(FaultySteps.of(new PostgreSql(), this::refusing))) {
            TicketQueue other = Sessions.open(others, TIMEOUT).queue("x");
            TicketQueue queue = Sessions.open(store, TIMEOUT).queue("x");
            queue.onNotice(() -> queue.notice().thenAccept(notice -> read.add(notice.text())));
            Await.get(queue.notice()); // which is answered after what was asked before

            assertThat(Await.get(other.post(Await.get(other.notice()), LONG))).isTrue();

            await().until(() -> read.contains(LONG));
            assertThat(refuses).isFalse();
        }
    }
}
