package io.wellkeeper.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.spi.Place;
import io.wellkeeper.spi.Session;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketQueue;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A session that has asked for very many locks at once does not keep from others meanwhile what it does not need any more. */
@ExtendWith(SharedServers.class)
class LongLineTest {

    private static final int MANY = 200;

    private final SqlTicketStore store;
    private final AtomicBoolean losingReplies = new AtomicBoolean();
    private final List<CompletableFuture<Place>> others = new ArrayList<>();
    private final CompletableFuture<Void> lineIsLong = new CompletableFuture<>();

    LongLineTest(SqliteServer file) {
        Dialect losing = FaultySteps.of(new Sqlite(), (step, real) -> {
            if (step == Step.SETTINGS) {
                lineIsLong.join();
            }
            Object answer = real.run();
            if (step == Step.TAKE && losingReplies.compareAndSet(true, false)) {
                throw new SQLException("no answer, says the test");
            }
            return answer;
        });
        Tables tables = new Tables(Optional.empty(), RealDatabase.prefix());
        this.store = new SqlTicketStore(Database.of(file::connect, file.uri(0), losing, tables));
    }

    private Session session;

    @BeforeEach
    void open() {
        session = Sessions.open(store, Duration.ofMinutes(2));
    }

    @AfterEach
    void close() {
        store.close();
    }

    /** Nothing is carried out any more until there is a long line. */
    private void block() {
        ((SqlSession) session).run(Step.SETTINGS, Map.of());
    }

    private void takeMany() {
        for (int i = 0; i < MANY; i++) {
            others.add(session.queue("many/" + i)
                    .take(Sessions.request("of-many/" + i))
                    .toCompletableFuture());
        }
    }

    private long taken() {
        return others.stream().filter(CompletableFuture::isDone).count();
    }

    @Test
    void remove_behindManyTakes_isAnsweredBeforeMostOfThem() {
        TicketQueue queue = session.queue("held");
        Ticket held = Await.get(queue.take(Sessions.request("first"))).ticket();
        block();
        takeMany();

        CompletableFuture<Long> before =
                queue.remove(held).thenApply(removed -> taken()).toCompletableFuture();
        lineIsLong.complete(null);

        assertThat(Await.get(before)).isLessThan(MANY / 2);
    }

    @Test
    void notice_aTicketOfThatNameIsAskedForBehindManyOthers_isAnsweredBeforeMostOfThem() {
        block();
        takeMany();
        session.queue("semaphore").take(Sessions.request("first"));

        CompletableFuture<Long> before =
                session.queue("semaphore").notice().thenApply(notice -> taken()).toCompletableFuture();
        lineIsLong.complete(null);

        assertThat(Await.get(before)).isLessThan(MANY / 2);
    }

    @Test
    void take_replyIsLostAndManyTakesAreBehindIt_isAnsweredBeforeMostOfThem() {
        block();
        losingReplies.set(true);
        CompletableFuture<Long> before = session.queue("first")
                .take(Sessions.request("first"))
                .thenApply(place -> taken())
                .toCompletableFuture();
        takeMany();
        lineIsLong.complete(null);

        assertThat(Await.get(before)).isLessThan(MANY / 2);
    }
}
