package io.wellkeeper.zookeeper;

import io.wellkeeper.spi.Mode;
import io.wellkeeper.spi.Session;
import io.wellkeeper.spi.SessionListener;
import io.wellkeeper.spi.SessionOptions;
import io.wellkeeper.spi.TicketRequest;
import io.wellkeeper.spi.TicketStore;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/** Sessions and requests for tests. */
final class Requested {

    private static final AtomicInteger IDS = new AtomicInteger();

    private Requested() {}

    static TicketRequest ticket() {
        return new TicketRequest("r" + IDS.incrementAndGet(), Mode.EXCLUSIVE, 1, "somebody");
    }

    static Session session(TicketStore store) {
        return session(store, new Told());
    }

    static Session session(TicketStore store, SessionListener listener) {
        return session(store, listener, Duration.ofSeconds(10));
    }

    static Session session(TicketStore store, SessionListener listener, Duration timeout) {
        return Await.get(store.open(new SessionOptions("test", timeout), listener));
    }
}
