package io.wellkeeper.redis;

import io.wellkeeper.spi.Ticket;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * The living tickets of a session, by id and by lock. A ticket is added to its lock first and removed from it last: so
 * a caller that finds a ticket by its id and removes it leaves no entry behind.
 */
final class OwnTickets {

    private final ConcurrentMap<String, Own> byId = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, Set<Ticket>> byLock = new ConcurrentHashMap<>(); // none of these is empty

    /**
     * @param name the lock's
     */
    record Own(String name, Ticket ticket) {}

    void add(String name, Ticket ticket) {
        byLock.compute(name, (unused, there) -> {
            Set<Ticket> all = there == null ? ConcurrentHashMap.newKeySet(1) : there;
            all.add(ticket);
            return all;
        });
        byId.put(ticket.id(), new Own(name, ticket));
    }

    /** {@return what was removed; null if it was not there} */
    @Nullable
    Own remove(String id) {
        Own gone = byId.remove(id);
        if (gone != null) {
            byLock.computeIfPresent(gone.name, (unused, there) -> {
                there.remove(gone.ticket);
                return there.isEmpty() ? null : there;
            });
        }
        return gone;
    }

    boolean contains(String id) {
        return byId.containsKey(id);
    }

    /** {@return the ticket of this id; null if it is not there} */
    @Nullable
    Ticket ticket(String id) {
        Own there = byId.get(id);
        return there == null ? null : there.ticket;
    }

    /** The numbers of the present tickets of a lock; the tickets of other locks are not looked at. */
    LongStream numbers(String name) {
        return byLock.getOrDefault(name, Set.of()).stream().mapToLong(Ticket::number);
    }

    /** By the id of each ticket, the name of its lock. */
    Map<String, String> names() {
        Map<String, String> names = new HashMap<>();
        byId.forEach((id, it) -> names.put(id, it.name));
        return names;
    }
}
