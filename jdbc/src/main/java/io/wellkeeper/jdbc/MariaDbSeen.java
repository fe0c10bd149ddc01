package io.wellkeeper.jdbc;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Where somebody else is to be expected behind a ticket: because he was seen there, or because there was somebody behind
 * the last ticket of the same lock. It may be wrong, and only spares requests. Thread-safe.
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
                    waitedFor.clear(); // tickets that went by another way
                }
                waitedFor.add(words.get(i));
            }
        }
    }

    /** Whether somebody is to be expected behind a ticket, which goes. */
    boolean isWaitedFor(String name, String word) {
        return waitedFor.remove(word) | contended.contains(name);
    }

    /** Whether there was somebody behind the ticket that has gone. */
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
