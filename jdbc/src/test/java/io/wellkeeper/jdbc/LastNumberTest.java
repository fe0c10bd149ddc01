package io.wellkeeper.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.LockStoreException;
import io.wellkeeper.spi.LeaseRequest;
import io.wellkeeper.spi.LeaseStore;
import io.wellkeeper.spi.Place;
import io.wellkeeper.spi.Session;
import io.wellkeeper.spi.SessionLostException;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketQueue;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Numbers are microseconds since 1970, so that a lock comes to its last one only if somebody has written a large one down. */
@Tag("full")
class LastNumberTest {

    private static final String NAME = "last-number";
    private static final String LARGEST = "largest-number";

    @ParameterizedTest
    @EnumSource
    void take_numbersHaveRunOut_isRefusedAndLeavesNothing(RealDatabase database) throws Exception {
        SqlTicketStore store = SqlTicketStore.over(database);
        try {
            Session session = Sessions.open(store, Duration.ofMinutes(2));
            TicketQueue queue = session.queue(NAME);
            Ticket first = Await.get(queue.take(Sessions.request("first"))).ticket();
            Await.get(queue.remove(first));
            String almost = Long.toString(Place.MAX_TOKEN - 1);
            database.execute("UPDATE wellkeeper_lock SET token = " + almost + " WHERE name = '" + NAME + "'");

            Place last = Await.get(queue.take(Sessions.request("last")));
            assertThat(last.token()).isEqualTo(Place.MAX_TOKEN);
            assertThat(Await.failure(queue.take(Sessions.request("beyond")))).hasMessageContaining("have run out");

            await().untilAsserted(() -> assertThat(Await.get(queue.tickets())).containsExactly(last.ticket()));
        } finally {
            store.close();
        }
    }

    @ParameterizedTest
    @EnumSource
    void take_noLargerNumberIsThere_isRefusedAndTheOtherLocksStay(RealDatabase database) throws Exception {
        SqlTicketStore store = SqlTicketStore.over(database);
        try {
            Session session = Sessions.open(store, Duration.ofMinutes(2));
            Ticket other = Await.get(session.queue("other").take(Sessions.request("other")))
                    .ticket();
            TicketQueue queue = session.queue(LARGEST);
            Await.get(queue.remove(
                    Await.get(queue.take(Sessions.request("first"))).ticket()));
            String largest = Long.toString(Long.MAX_VALUE);
            database.execute("UPDATE wellkeeper_lock SET token = " + largest + " WHERE name = '" + LARGEST + "'");

            List<CompletionStage<Place>> taken = Stream.of("one", "two", "three")
                    .map(request -> queue.take(Sessions.request(request)))
                    .toList();
            taken.forEach(take -> assertThat(Await.failure(take)).isNotInstanceOf(SessionLostException.class));

            assertThat(Await.get(session.queue("other").tickets())).containsExactly(other);
            await().untilAsserted(() -> assertThat(Await.get(queue.tickets())).isEmpty());
        } finally {
            store.close();
        }
    }

    @ParameterizedTest
    @EnumSource
    void tryAcquire_noLargerTokenIsThere_isRefusedAndOtherLocksAreGiven(RealDatabase database) throws Exception {
        database.execute("SELECT 1"); // a server may take longer to start than a request may take
        LeaseStore store = LeaseTableStore.over(database);
        try {
            LeaseRequest first = new LeaseRequest(LARGEST, "first", Duration.ofMinutes(2), "");
            assertThat(Await.get(
                            store.release(Await.get(store.tryAcquire(first)).orElseThrow())))
                    .isTrue();
            database.execute(
                    "UPDATE wellkeeper_lease SET token = " + Long.MAX_VALUE + " WHERE name = '" + LARGEST + "'");

            assertThat(Await.failure(store.tryAcquire(new LeaseRequest(LARGEST, "second", Duration.ofMinutes(2), ""))))
                    .isInstanceOf(LockStoreException.class);

            assertThat(Await.get(store.tryAcquire(new LeaseRequest("another", "third", Duration.ofMinutes(2), ""))))
                    .isPresent();
        } finally {
            store.close();
        }
    }
}
