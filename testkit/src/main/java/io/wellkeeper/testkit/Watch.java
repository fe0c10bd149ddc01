package io.wellkeeper.testkit;

import io.wellkeeper.spi.DepartureWatcher;
import io.wellkeeper.spi.Ticket;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Tickets that a session watches. */
final class Watch {

    private final DepartureWatcher watcher;
    private final BiConsumer<@Nullable List<Ticket>, Runnable> teller;
    private final Map<String, Ticket> expected = new LinkedHashMap<>(); // by id; guarded by the server's lock
    private final AtomicBoolean closed = new AtomicBoolean();

    /**
     * @param teller tells the watcher of a departure, and of the queue that it left behind, if there is one
     */
    Watch(Collection<Ticket> tickets, DepartureWatcher watcher, BiConsumer<@Nullable List<Ticket>, Runnable> teller) {
        this.watcher = watcher;
        this.teller = teller;
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
            teller.accept(left, () -> watcher.departed(ticket));
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
