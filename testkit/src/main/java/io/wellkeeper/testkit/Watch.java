package io.wellkeeper.testkit;

import io.wellkeeper.spi.DepartureWatcher;
import io.wellkeeper.spi.Ticket;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** Tickets that a session watches. */
final class Watch {

    private final DepartureWatcher watcher;
    private final ThreadLocal<@Nullable List<Ticket>> told;
    private final Map<String, Ticket> expected = new LinkedHashMap<>(); // by id; guarded by the server's lock
    private final AtomicBoolean closed = new AtomicBoolean();

    /**
     * @param told where the queue stands for him who is just being told of a departure
     */
    Watch(Collection<Ticket> tickets, DepartureWatcher watcher, ThreadLocal<@Nullable List<Ticket>> told) {
        this.watcher = watcher;
        this.told = told;
        tickets.forEach(ticket -> expected.put(ticket.id(), ticket));
    }

    Collection<Ticket> expected() {
        return expected.values();
    }

    /** Whether this ticket was expected to depart; it is not expected any more. */
    boolean strike(Ticket ticket) {
        return expected.remove(ticket.id()) != null;
    }

    /**
     * @param left the queue that the departure has left behind; null if it is not told
     */
    void departed(Ticket ticket, @Nullable List<Ticket> left) {
        if (!closed.get()) {
            told.set(left);
            try {
                watcher.departed(ticket);
            } finally {
                told.remove();
            }
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
