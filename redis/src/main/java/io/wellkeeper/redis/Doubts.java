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
 * The requests on whose outcome that of others about the same queue depends, and of which nobody can say yet whether they have been
 * carried out, or will be before what was called for later: those that were given to an earlier connection too, or refused, and the
 * first of each queue that is given to another connection, before that has carried out something, as that server may be about to
 * refuse it. What must come behind one of them is held back until its answer has come.
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

    /** Whether it would come first if the server refused one of these before it, and then no longer. */
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
     * The answer to a request has come. Of those behind it, some may have drawn a smaller number.
     *
     * @param ticketNumber of the ticket that it has drawn, or 0
     * @return whether there was a doubt about it
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

    /** Of those that are held back, the last; null if there is none. */
    @Nullable
    OpenRequest release() {
        return held.pollLast();
    }

    /** Those that were held back are given to the next connection anyway. */
    void forgetHeld() {
        held.clear();
    }

    void clear() {
        byQueue.clear();
        held.clear();
    }
}
