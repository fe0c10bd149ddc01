package io.wellkeeper.storekit;

import io.wellkeeper.spi.DepartureWatcher;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketQueue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Learns of departures like an acquire loop: it reads the queue again only when it is told that something has changed.
 */
final class DepartureProbe implements DepartureWatcher {

    private final Set<Ticket> departed = ConcurrentHashMap.newKeySet();
    private final AtomicInteger changes = new AtomicInteger();

    @Override
    public void departed(Ticket ticket) {
        departed.add(ticket);
    }

    @Override
    public void changed() {
        changes.incrementAndGet();
    }

    /** The tickets whose departure the store has told as certain. */
    Set<Ticket> certain() {
        return Set.copyOf(departed);
    }

    void awaitDeparture(TicketQueue queue, Ticket ticket) {
        AtomicInteger seen = new AtomicInteger();
        Await.until("word of the departure of " + ticket, () -> {
            int now = changes.get();
            return departed.contains(ticket)
                    || (seen.getAndSet(now) != now
                            && !Await.get(queue.tickets()).contains(ticket));
        });
    }
}
