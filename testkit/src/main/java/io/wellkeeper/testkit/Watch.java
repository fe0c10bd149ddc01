package io.wellkeeper.testkit;

import io.wellkeeper.spi.DepartureWatcher;
import io.wellkeeper.spi.Ticket;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

/** Tickets that a session watches. */
final class Watch {

    private final DepartureWatcher watcher;
    private final Map<String, Ticket> expected = new LinkedHashMap<>(); // by id; guarded by the server's lock
    private final AtomicBoolean closed = new AtomicBoolean();

    Watch(Collection<Ticket> tickets, DepartureWatcher watcher) {
        this.watcher = watcher;
        tickets.forEach(ticket -> expected.put(ticket.id(), ticket));
    }

    Collection<Ticket> expected() {
        return expected.values();
    }

    /** Whether this ticket was expected to depart; it is not expected any more. */
    boolean strike(Ticket ticket) {
        return expected.remove(ticket.id()) != null;
    }

    void departed(Ticket ticket) {
        if (!closed.get()) {
            watcher.departed(ticket);
        }
    }

    void changed() {
        if (!closed.get()) {
            watcher.changed();
        }
    }

    /** Whether this call closed it. */
    boolean close() {
        return closed.compareAndSet(false, true);
    }
}
