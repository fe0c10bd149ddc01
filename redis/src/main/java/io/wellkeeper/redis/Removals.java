package io.wellkeeper.redis;

import io.wellkeeper.spi.Ticket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Which tickets of a session have gone lately: by lock, the largest number. A server that goes back to an older state has
 * these tickets again, and the session too. In a state older than the session's timeout, the session has ended.
 */
final class Removals {

    private final long keptNanos;
    private final ReentrantLock lock = new ReentrantLock(); // guards the map
    private final Map<String, Removed> latest = new LinkedHashMap<>(); // by lock, the oldest first

    private record Removed(long number, long at) {}

    /**
     * @param kept for how long removals are remembered: the session's timeout
     */
    Removals(Duration kept) {
        this.keptNanos = kept.toNanos();
    }

    void add(String name, Ticket ticket) {
        long now = System.nanoTime();
        lock.lock();
        try {
            Removed before = latest.remove(name);
            long number = before == null ? ticket.number() : Math.max(before.number, ticket.number());
            latest.put(name, new Removed(number, now));
            Iterator<Removed> oldest = latest.values().iterator();
            while (now - oldest.next().at > keptNanos) { // ends at the one just put there
                oldest.remove();
            }
        } finally {
            lock.unlock();
        }
    }

    /** By lock, the number up to which all tickets of the session have gone, except for the living ones. */
    List<Map.Entry<String, Long>> all() {
        lock.lock();
        try {
            List<Map.Entry<String, Long>> all = new ArrayList<>();
            latest.forEach((name, removed) -> all.add(Map.entry(name, removed.number)));
            return all;
        } finally {
            lock.unlock();
        }
    }
}
