package io.wellkeeper.redis;

import static org.awaitility.Awaitility.await;

import io.wellkeeper.Registration;
import io.wellkeeper.spi.Mode;
import io.wellkeeper.spi.Place;
import io.wellkeeper.spi.Session;
import io.wellkeeper.spi.SessionOptions;
import io.wellkeeper.spi.StoreUri;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketQueue;
import io.wellkeeper.spi.TicketRequest;
import io.wellkeeper.testservers.RedisProcess;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Whoever watches a ticket is told of its departure by the server, and does not find out by looking again. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WatchTest {

    @Test
    void onDeparture_lastWatchIsClosedWhileATicketIsTakenBehind_serverKnowsOfTheNextOne() {
        try (RedisProcess server = RedisProcess.start();
                RedisTicketStore store =
                        RedisTicketStore.of(StoreUri.parse("redis://" + server.address() + "?restartGuard=off"))) {
            Session other = open(store);
            Session session = open(store);
            TicketQueue queue = session.queue("l");
            Ticket ahead = Await.get(take(other.queue("l"), "r1")).ticket();
            Await.get(take(queue, "r1"));
            Registration first = queue.onDeparture(List.of(ahead), new Nobody());
            CompletionStage<Place> behind = take(queue, "r2"); // this has the server watch it, too
            first.close();
            Await.get(behind);

            Registration second = queue.onDeparture(List.of(ahead), new Nobody());

            String data = new Keys("wellkeeper", Keys.SINGLE, false).of("l").data("l");
            await().until(() -> (session.id() + " ").equals(server.call("HGET", data, "w" + ahead.id())));
            second.close();
            Await.get(session.close());
            Await.get(other.close());
        }
    }

    private static Session open(RedisTicketStore store) {
        return Await.get(store.open(new SessionOptions("test", Duration.ofMinutes(1)), new Nobody()));
    }

    private static CompletionStage<Place> take(TicketQueue queue, String request) {
        return queue.take(new TicketRequest(request, Mode.EXCLUSIVE, 1, ""));
    }
}
