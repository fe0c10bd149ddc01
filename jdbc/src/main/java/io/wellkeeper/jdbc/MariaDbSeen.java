package io.wellkeeper.jdbc;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What clients have seen of queues: behind which of their tickets somebody else stands; and what they watch. It spares
 * requests, and may be wrong. Thread-safe.
 */
final class MariaDbSeen {

    private static final int MOST = 10_000;

    private final Set<String> waitedFor = ConcurrentHashMap.newKeySet(); // words
    private final Map<String, Map<String, String>> watches = new ConcurrentHashMap<>(); // names of words, by session

    /** A session has seen a queue. */
    void look(List<String> words, String me) {
        for (int i = 0; i + 1 < words.size(); i++) {
            if (MariaDbQueues.session(words.get(i)).equals(me)
                    && !MariaDbQueues.session(words.get(i + 1)).equals(me)) {
                if (waitedFor.size() >= MOST) {
                    waitedFor.clear(); // tickets that went by another way
                }
                waitedFor.add(words.get(i));
            }
        }
    }

    /** Whether somebody is to be expected behind a ticket, which goes. */
    boolean isWaitedFor(Object word) {
        return waitedFor.remove(word);
    }

    void watches(String session, String watch, String name) {
        watches.computeIfAbsent(session, unused -> new ConcurrentHashMap<>()).put(watch, name);
    }

    void forgets(String session, String watch) {
        watches.getOrDefault(session, new ConcurrentHashMap<>()).remove(watch);
    }

    /** A session was told that a ticket has departed: it watches it no more. */
    void departed(String session, String ticket) {
        String[] parts = ticket.split(":", -1);
        if (parts.length > 3) {
            forgets(session, parts[0] + ":" + parts[3] + ":" + session);
        }
    }

    /** What a session still watches, which ends: words, and the names of the locks. */
    Map<String, String> end(String session) {
        Map<String, String> left = watches.remove(session);
        return left == null ? Map.of() : left;
    }
}
