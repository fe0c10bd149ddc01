package io.wellkeeper.jdbc;

import io.wellkeeper.spi.Mode;
import io.wellkeeper.spi.Session;
import io.wellkeeper.spi.SessionListener;
import io.wellkeeper.spi.SessionOptions;
import io.wellkeeper.spi.TicketRequest;
import io.wellkeeper.spi.TicketStore;
import java.time.Duration;

/** For tests that drive a session themselves, and ask it what has become of it. */
final class Sessions {

    static final SessionListener SILENT = listener(() -> {});

    private Sessions() {}

    /** Hears nothing but that the session was lost. */
    static SessionListener listener(Runnable lost) {
        return new SessionListener() {

            @Override
            public void suspect(String problem) {}

            @Override
            public void live() {}

            @Override
            public void lost() {
                lost.run();
            }
        };
    }

    static Session open(TicketStore store, Duration timeout) {
        return Await.get(store.open(new SessionOptions("test", timeout), SILENT));
    }

    static TicketRequest request(String id) {
        return new TicketRequest(id, Mode.EXCLUSIVE, 1, "");
    }
}
