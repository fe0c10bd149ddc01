package io.wellkeeper.redis;

import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The doubtful requests: it is not known yet whether the server has carried them out, or will carry them out before
 * later requests on the same queue, whose outcome depends on them. Doubtful are requests that were sent by an earlier
 * connection too, and requests that were refused. So is the first request of each queue on a new connection that has
 * not carried out any request yet, as that server may refuse it. A request that must come behind a doubtful one is held
 * back until the doubtful one is answered.
 *
 * <p>Not thread-safe.
 */
final class Doubts {

    private static final Comparator<OpenRequest> BY_CALL = Comparator.comparingLong(OpenRequest::number);

    private final Map<List<String>, NavigableSet<OpenRequest>> byQueue = new HashMap<>(); // none of these sets is empty
    private final Deque<OpenRequest> held = new ArrayDeque<>();

    boolean isEmpty() {
        return byQueue.isEmpty();
    }

    void add(OpenRequest request) {
        byQueue.computeIfAbsent(request.keys, unused -> new TreeSet<>(BY_CALL)).add(request);
    }

    /** Whether a doubtful request that was called for before this one has to be carried out before it. */
    boolean precede(OpenRequest request) {
        NavigableSet<OpenRequest> those = byQueue.get(request.keys);
        return those != null
                && those.headSet(request).stream().anyMatch(other -> other.precedesTake() || !request.draws());
    }

    /** Holds a request back until the next doubt ends. */
    void hold(OpenRequest request) {
        held.addLast(request);
    }

    /**
     * The answer to a request has come. Doubtful requests that were called for later may have drawn a smaller number
     * already.
     *
     * @param ticketNumber of the ticket that the request has drawn, or 0
     * @return whether the request was doubtful
     */
    boolean end(OpenRequest request, long ticketNumber) {
        NavigableSet<OpenRequest> those = byQueue.get(request.keys);
        if (those == null) {
            return false;
        }
        if (ticketNumber > 0) {
            those.tailSet(request, false).forEach(other -> other.least = Math.max(other.least, ticketNumber));
        }
        if (!those.remove(request)) {
            return false;
        }
        if (those.isEmpty()) {
            byQueue.remove(request.keys);
        }
        return true;
    }

    /** Takes out the request that was held back last; null if there is none. */
    @Nullable
    OpenRequest release() {
        return held.pollLast();
    }

    /** Forgets the requests that were held back, as the next connection sends all open requests anyway. */
    void forgetHeld() {
        held.clear();
    }

    void clear() {
        byQueue.clear();
        held.clear();
    }
}
