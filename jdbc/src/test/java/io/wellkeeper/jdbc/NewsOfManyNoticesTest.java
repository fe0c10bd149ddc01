package io.wellkeeper.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.spi.Notice;
import io.wellkeeper.spi.Session;
import io.wellkeeper.spi.TicketQueue;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A session to which no message comes reads all the notices that it watches, again and again. */
@Tag("full")
class NewsOfManyNoticesTest {

    private static final int MANY = 50;
    private static final Duration TIMEOUT = Duration.ofMinutes(2);

    private final Tables tables = new Tables(Optional.empty(), RealDatabase.prefix());
    private final AtomicLong questions = new AtomicLong();
    private final Set<String> told = ConcurrentHashMap.newKeySet();

    private static Dialect dialect(RealDatabase database) {
        return switch (database) {
            case POSTGRESQL -> new PostgreSql();
            case MARIADB -> new MariaDb();
            case SQLITE -> new Sqlite();
        };
    }

    private SqlTicketStore store(RealDatabase database, Dialect dialect) {
        return new SqlTicketStore(Database.of(database::getConnection, "a database", dialect, tables));
    }

    private Object counting(Step step, FaultySteps.Work real) throws SQLException {
        if (step == Step.NEWS) {
            questions.incrementAndGet();
        }
        return real.run();
    }

    @ParameterizedTest
    @EnumSource
    void onNotice_ofManyLocks_areReadByOneRequestInEachRound(RealDatabase database) {
        Dialect deaf = FaultySteps.deaf(FaultySteps.of(dialect(database), this::counting));
        try (SqlTicketStore others = store(database, dialect(database));
                SqlTicketStore store = store(database, deaf)) {
            Session other = Sessions.open(others, TIMEOUT);
            Session session = Sessions.open(store, TIMEOUT);
            for (int i = 0; i < MANY; i++) {
                TicketQueue queue = session.queue("latch \"" + i);
                queue.onNotice(() -> queue.notice().thenAccept(notice -> told.add(notice.text())));
            }
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> Await.get(session.warnings()).stream().anyMatch(one -> one.contains("do not arrive")));
            questions.set(0);
            long begin = System.nanoTime();

            for (int i = 0; i < MANY; i++) {
                Await.get(other.queue("latch \"" + i).post(new Notice("", 0), "open " + i));
            }

            await().atMost(Duration.ofSeconds(60)).until(() -> told.size() > MANY); // and the empty one
            assertThat(questions.get())
                    .isLessThanOrEqualTo(2 + (System.nanoTime() - begin) / Polling.INTERVAL.toNanos());
        }
    }
}
