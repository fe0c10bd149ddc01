package io.wellkeeper.jdbc;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Tells behind which tickets another session's ticket is to be expected: because one was seen there, or because there
 * was one behind the last ticket of the same lock. The guess may be wrong; it only spares requests. Thread-safe.
 */
final class MariaDbSeen {

    private static final int MOST = 10_000;

    private final Set<String> waitedFor = ConcurrentHashMap.newKeySet(); // words
    private final Set<String> contended = ConcurrentHashMap.newKeySet(); // names

    /** A session has seen a queue. */
    void look(List<String> words, String me) {
        for (int i = 0; i + 1 < words.size(); i++) {
            if (MariaDbQueues.session(words.get(i)).equals(me)
                    && !MariaDbQueues.session(words.get(i + 1)).equals(me)) {
                if (waitedFor.size() >= MOST) {
                    waitedFor.clear(); // also of tickets that departed in another way
                }
                waitedFor.add(words.get(i));
            }
        }
    }

    /** Whether another session's ticket is to be expected behind a ticket that is being removed. */
    boolean isWaitedFor(String name, String word) {
        return waitedFor.remove(word) | contended.contains(name);
    }

    /** Records whether another session's ticket was behind the one that has departed. */
    void departed(String name, boolean wasWaitedFor) {
        if (!wasWaitedFor) {
            contended.remove(name);
        } else {
            if (contended.size() >= MOST) {
                contended.clear();
            }
            contended.add(name);
        }
    }
}
