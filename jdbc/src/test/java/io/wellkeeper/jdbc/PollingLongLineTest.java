package io.wellkeeper.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.spi.Notice;
import io.wellkeeper.spi.Place;
import io.wellkeeper.spi.Session;
import io.wellkeeper.spi.TicketQueue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A session that messages do not reach, and that has asked for very many locks at once, learns meanwhile what it waits for. */
@ExtendWith(SharedServers.class)
class PollingLongLineTest {

    private static final int MANY = 1_000;
    private static final long ONE_TAKE_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    private final SqliteServer file;
    private final Tables tables = new Tables(Optional.empty(), RealDatabase.prefix());
    private final SqlTicketStore others;
    private final SqlTicketStore store;
    private final List<CompletableFuture<Place>> many = new ArrayList<>();

    PollingLongLineTest(SqliteServer file) {
        this.file = file;
        this.others = store(new Sqlite());
        this.store = store(FaultySteps.deaf(FaultySteps.of(new Sqlite(), (step, real) -> {
            if (step == Step.TAKE) {
                LockSupport.parkNanos(ONE_TAKE_NANOS);
            }
            return real.run();
        })));
    }

    private SqlTicketStore store(Dialect dialect) {
        return new SqlTicketStore(Database.of(file::connect, file.uri(0), dialect, tables));
    }

    @AfterEach
    void close() {
        store.close();
        others.close();
    }

    private long taken() {
        return many.stream().filter(CompletableFuture::isDone).count();
    }

    @Test
    void onNotice_aTicketWithAnotherNoticeIsAskedForBehindMany_isToldBeforeMostOfThemAreHad() {
        Session session = Sessions.open(store, Duration.ofMinutes(2));
        TicketQueue latch = session.queue("latch");
        CompletableFuture<Long> before = new CompletableFuture<>();
        latch.onNotice(() -> latch.notice().thenAccept(notice -> {
            if (notice.text().equals("open")) {
                before.complete(taken());
            }
        }));
        session.queue("semaphore").onNotice(() -> {});
        await().atMost(Duration.ofSeconds(60))
                .until(() -> Await.get(session.warnings()).stream().anyMatch(one -> one.contains("do not arrive")));
        TicketQueue opener = Sessions.open(others, Duration.ofMinutes(2)).queue("latch");

        for (int i = 0; i < MANY; i++) {
            many.add(session.queue("many/" + i)
                    .take(Sessions.request("of-many/" + i))
                    .toCompletableFuture());
        }
        session.queue("semaphore").take(Sessions.request("last"));
        await().atMost(Duration.ofSeconds(60)).until(() -> taken() > MANY / 10);
        Await.get(opener.post(new Notice("", 0), "open"));

        assertThat(Await.get(before)).isLessThan(MANY / 2);
    }
}
