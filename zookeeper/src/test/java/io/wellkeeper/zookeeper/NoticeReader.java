package io.wellkeeper.zookeeper;

import io.wellkeeper.spi.DepartureWatcher;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/** Reads again whenever it may have changed; until then nobody knows what it says. */
final class NoticeReader implements Runnable, DepartureWatcher {

    private static final String UNKNOWN = "unknown";

    private final TicketQueue queue;
    private final AtomicInteger changes = new AtomicInteger();
    private volatile String known = UNKNOWN;
    private final CompletableFuture<String> atDeparture = new CompletableFuture<>();

    NoticeReader(TicketQueue queue) {
        this.queue = queue;
    }

    @Override
    public void run() {
        changes.incrementAndGet();
        known = UNKNOWN;
        read();
    }

    void read() {
        int before = changes.get();
        queue.notice().thenAccept(notice -> {
            if (changes.get() == before) {
                known = notice.text();
            }
        });
    }

    @Override
    public void departed(Ticket ticket) {
        atDeparture.complete(known);
    }

    @Override
    public void changed() {}

    /** What the notice says, as far as that is known. */
    String known() {
        return known;
    }

    /** What was known when a departure was told. */
    CompletableFuture<String> atDeparture() {
        return atDeparture;
    }
}
