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

/** A session's watch on some tickets. */
final class Watch {

    private final DepartureWatcher watcher;
    private final BiConsumer<@Nullable List<Ticket>, Runnable> teller;
    private final Map<String, Ticket> expected = new LinkedHashMap<>(); // by id; guarded by the server's lock
    private final AtomicBoolean closed = new AtomicBoolean();

    /**
     * @param teller runs the given call of the watcher, and makes the tickets left in the queue known meanwhile, if not
     *     null
     */
    Watch(Collection<Ticket> tickets, DepartureWatcher watcher, BiConsumer<@Nullable List<Ticket>, Runnable> teller) {
        this.watcher = watcher;
        this.teller = teller;
        tickets.forEach(ticket -> expected.put(ticket.id(), ticket));
    }

    Collection<Ticket> expected() {
        return expected.values();
    }

    /** Takes a ticket out of the watch; false if it was not watched any more. */
    boolean strike(Ticket ticket) {
        return expected.remove(ticket.id()) != null;
    }

    /**
     * @param left the tickets left in the queue; null if the watcher is not told which they are
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
