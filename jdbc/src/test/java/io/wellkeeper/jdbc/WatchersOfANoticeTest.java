package io.wellkeeper.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.spi.Session;
import io.wellkeeper.spi.TicketQueue;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whoever begins to watch a notice has those forgotten who have ended, and nobody else. */
@Tag("full")
class WatchersOfANoticeTest {

    private static final Duration TIMEOUT = Duration.ofMinutes(5);

    private final Tables tables = new Tables(Optional.empty(), RealDatabase.prefix());
    private final Map<RealDatabase, String> schemas =
            Map.of(RealDatabase.POSTGRESQL, "public", RealDatabase.MARIADB, "wellkeeper");

    private SqlTicketStore store(RealDatabase database) {
        return SqlTicketStore.over(database, schemas.get(database), tables.prefix());
    }

    /** Whoever waits for the row has looked at the sessions before another one began, which had the row first. */
    @ParameterizedTest
    @EnumSource(names = {"POSTGRESQL", "MARIADB"})
    void onNotice_anotherBeginsToWatchWhileTheRowIsWaitedFor_bothWatch(RealDatabase database) throws Exception {
        try (SqlTicketStore store = store(database);
                Connection connection = database.begin();
                Statement statement = connection.createStatement()) {
            Session waiting = Sessions.open(store, TIMEOUT);
            TicketQueue queue = waiting.queue("x");
            Await.get(queue.take(Sessions.request("mine"))); // from now on there is a row
            statement.execute(tables.fill("SELECT 1 FROM {lock} WHERE name = 'x' FOR UPDATE"));
            queue.onNotice(() -> {});
            await().until(() -> database.waiting() > 0);

            Session another = Sessions.open(store, TIMEOUT);
            statement.execute(watch(another.id()));
            connection.commit();

            Await.get(queue.notice()); // which is answered after what was asked before
            assertThat(isWatchedBy(database, waiting.id())).isTrue();
            assertThat(isWatchedBy(database, another.id())).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"POSTGRESQL", "MARIADB"})
    void onNotice_anotherHasEnded_isForgotten(RealDatabase database) throws Exception {
        try (SqlTicketStore store = store(database)) {
            Session living = Sessions.open(store, TIMEOUT);
            TicketQueue queue = living.queue("x");
            Await.get(queue.take(Sessions.request("mine")));
            database.execute(watch("000000000dead"));
            database.execute(watch(living.id()));

            queue.onNotice(() -> {});

            Await.get(queue.notice());
            assertThat(database.number(
                            tables.fill("SELECT count(*) FROM {lock} WHERE watches = ' 0:0:" + living.id() + " '")))
                    .isEqualTo(1);
        }
    }

    private String watch(String session) {
        return tables.fill("UPDATE {lock} SET watches = CONCAT(watches, '0:0:" + session + " ') WHERE name = 'x'");
    }

    private boolean isWatchedBy(RealDatabase database, String session) {
        return database.number(tables.fill("SELECT count(*) FROM {lock} WHERE watches LIKE '% 0:0:" + session + " %'"))
                > 0;
    }
}
