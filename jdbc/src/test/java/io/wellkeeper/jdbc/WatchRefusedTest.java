package io.wellkeeper.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.spi.Notice;
import io.wellkeeper.spi.Session;
import io.wellkeeper.spi.TicketQueue;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The database cannot write down at first that a session watches a notice, for want of room or because others have the row. */
@ExtendWith(SharedServers.class)
class WatchRefusedTest {

    private static final Duration WATCHING = Duration.ofSeconds(12); // it is tried again after a quarter of that
    private static final Duration LONG = Duration.ofMinutes(2);
    private static final int REFUSED = 19; // of SQLite
    private static final int LOSSES = 5;

    private final SqliteServer file;
    private final Tables tables = new Tables(Optional.empty(), RealDatabase.prefix());
    private final AtomicBoolean refuses = new AtomicBoolean(true);
    private final List<String> read = new CopyOnWriteArrayList<>();
    private final AtomicInteger asked = new AtomicInteger();
    private volatile Connection listener;

    WatchRefusedTest(SqliteServer file) {
        this.file = file;
    }

    private SqlTicketStore store(Dialect dialect) {
        return new SqlTicketStore(Database.of(file::connect, file.uri(0), dialect, tables));
    }

    /** The connection for messages is made last, by whoever opens the session, and then by a thread of its own. */
    private Connection connect() throws SQLException {
        Connection made = file.connect();
        if (!Thread.currentThread().getName().startsWith("wellkeeper-jdbc-requests")) {
            listener = made;
        }
        return made;
    }

    private Object refusingAll(Step step, FaultySteps.Work real) throws SQLException {
        if (step == Step.HEED) {
            asked.incrementAndGet();
            if (refuses.get()) {
                throw new SQLException("not now, says the test", null, REFUSED);
            }
        }
        return real.run();
    }

    private Object refusing(Step step, FaultySteps.Work real) throws SQLException {
        if (step == Step.HEED && refuses.getAndSet(false)) {
            throw new SQLException("not now, says the test", null, REFUSED);
        }
        return real.run();
    }

    private void post(TicketQueue queue, String text) {
        Notice before = Await.get(queue.notice());
        assertThat(Await.get(queue.post(before, text))).isTrue();
    }

    @Test
    void onNotice_isRefusedAtFirst_isToldOfTheChangesAllTheSame() {
        try (SqlTicketStore others = store(new Sqlite());
                SqlTicketStore store = store(FaultySteps.of(new Sqlite(), this::refusing))) {
            TicketQueue other = Sessions.open(others, LONG).queue("x");
            TicketQueue queue = Sessions.open(store, WATCHING).queue("x");
            queue.onNotice(() -> queue.notice().thenAccept(notice -> read.add(notice.text())));
            Await.get(queue.notice()); // which is answered after what was asked before

            post(other, "once");
            await().atMost(WATCHING).until(() -> read.contains("once"));

            post(other, "twice");
            await().atMost(WATCHING).until(() -> read.contains("twice"));
        }
    }

    /** When the connection was lost it is asked for at once; what was to be asked for later is not, then. */
    @Test
    void onNotice_isRefusedWhileTheConnectionIsLostAgainAndAgain_isAskedForOnceAfterwards() throws Exception {
        Dialect dialect = FaultySteps.of(new Sqlite(), this::refusingAll);
        try (SqlTicketStore store = new SqlTicketStore(Database.of(this::connect, file.uri(0), dialect, tables))) {
            Session session = Sessions.open(store, WATCHING);
            session.queue("x").onNotice(() -> {});
            for (int i = 1; i <= LOSSES; i++) {
                int before = i;
                await().until(() -> asked.get() >= before);
                listener.close();
            }
            await().until(() -> asked.get() > LOSSES);
            int before = asked.get();
            session.queue("last").onNotice(() -> {});
            await().until(() -> asked.get() > before);
            int refused = asked.get();
            refuses.set(false);

            await().atMost(WATCHING).until(() -> isWatched("last"));

            assertThat(asked.get() - refused).isLessThan(LOSSES); // before, each loss had begun repetitions of its own
        }
    }

    private boolean isWatched(String name) throws SQLException {
        try (Connection connection = file.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(
                        tables.fill("SELECT count(*) FROM {watch} WHERE name = '" + name + "'"))) {
            return row.next() && row.getInt(1) == 1;
        }
    }
}
