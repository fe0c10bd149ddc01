package io.wellkeeper.jdbc;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Behind which of their tickets clients have seen somebody else stand. Whether it is still so does not matter: this only
 * spares requests. Thread-safe.
 */
final class MariaDbSeen {

    private static final int MOST = 10_000;

    private final Set<String> waitedFor = ConcurrentHashMap.newKeySet(); // words

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
}
