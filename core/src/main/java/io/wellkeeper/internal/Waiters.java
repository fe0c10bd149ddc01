package io.wellkeeper.internal;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The requests of one client that wait for one name, first come first served, and the attempts under way for them.
 * Either all requests for one side share one attempt, or a request has an attempt of its own. Guarded by the gate's
 * monitor.
 */
final class Waiters {

    private final Map<Side, Set<Request>> sharing = bySide(); // the requests that share an attempt
    private final Map<Side, Set<Request>> alone = bySide(); // the requests that have an attempt of their own
    private final Map<Side, Attempt> shared = new EnumMap<>(Side.class);

    private static Map<Side, Set<Request>> bySide() {
        Map<Side, Set<Request>> sets = new EnumMap<>(Side.class);
        for (Side side : Side.values()) {
            sets.put(side, new LinkedHashSet<>());
        }
        return sets;
    }

    private static Set<Request> of(Map<Side, Set<Request>> sets, Side side) {
        return Objects.requireNonNull(sets.get(side));
    }

    /** Adds a request that shares an attempt with the others for the same side. */
    void add(Request request) {
        of(sharing, request.side()).add(request);
    }

    /** Adds a request that has an attempt of its own. */
    void addAlone(Request request) {
        of(alone, request.side()).add(request);
    }

    void remove(Request request) {
        of(sharing, request.side()).remove(request);
        of(alone, request.side()).remove(request);
    }

    boolean isEmpty() {
        return shared.isEmpty() && Arrays.stream(Side.values()).allMatch(this::isEmpty);
    }

    private boolean isEmpty(Side side) {
        return of(sharing, side).isEmpty() && of(alone, side).isEmpty();
    }

    /** Whether a request for another side waits. */
    boolean hasOtherThan(Side side) {
        for (Side other : Side.values()) {
            if (other != side && !isEmpty(other)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Whether a waiting request goes before a new one for this side. Requests for another side do, and those that are
     * known to wait for another holder. All others for this side do so, too, unless several holds of this side may be
     * in at once: then the new request may get it at once.
     */
    boolean goBefore(Side side) {
        return hasOtherThan(side)
                || (!side.tolerates(side) && !isEmpty(side))
                || of(sharing, side).stream().anyMatch(Request::isContended)
                || of(alone, side).stream().anyMatch(Request::isContended);
    }

    /** The requests for this side that share an attempt, in the order in which they came. */
    List<Request> sharing(Side side) {
        return List.copyOf(of(sharing, side));
    }

    /** The first request for this side that shares an attempt; null if there is none. */
    @Nullable
    Request firstSharing(Side side) {
        Iterator<Request> first = of(sharing, side).iterator();
        return first.hasNext() ? first.next() : null;
    }

    /** Whether the requests that share an attempt for this side have none yet. */
    boolean needAttempt(Side side) {
        return !shared.containsKey(side) && firstSharing(side) != null;
    }

    void share(Side side, Attempt attempt) {
        shared.put(side, attempt);
    }

    /** The attempt that serves this request; null if there is none just now. */
    @Nullable
    Attempt serving(Request request) {
        return request.attempt() != null ? request.attempt() : shared.get(request.side());
    }

    /** This attempt has ended, so no request shares it any more. */
    void ended(@Nullable Attempt attempt) {
        shared.values().remove(attempt);
    }

    /**
     * Removes a request, and its attempt if that serves no other request.
     *
     * @return the attempt to abandon, if any
     */
    @Nullable
    Attempt leave(Request request) {
        remove(request);
        return request.attempt() != null ? request.attempt() : dropUnneeded(request.side());
    }

    /** Removes the shared attempt for this side if no request shares it any more; null if nothing was removed. */
    @Nullable
    Attempt dropUnneeded(Side side) {
        return firstSharing(side) == null ? shared.remove(side) : null;
    }

    /** The requests that an attempt was made for: the one that it is bound to, or else all that share it. */
    List<Request> concernedBy(@Nullable Request bound, Side side) {
        if (bound != null) {
            return of(alone, side).contains(bound) ? List.of(bound) : List.of();
        }
        return sharing(side);
    }

    List<Attempt> attempts() {
        List<Attempt> all = new ArrayList<>(shared.values());
        for (Set<Request> some : alone.values()) {
            some.forEach(request -> all.add(Objects.requireNonNull(request.attempt())));
        }
        return all;
    }

    /** The shared attempts by their sides. */
    Map<Side, Attempt> shared() {
        return Map.copyOf(shared);
    }

    /** Removes all requests and returns them. */
    List<Request> clear() {
        List<Request> all = new ArrayList<>();
        for (Side side : Side.values()) {
            all.addAll(of(sharing, side));
            all.addAll(of(alone, side));
            of(sharing, side).clear();
            of(alone, side).clear();
        }
        shared.clear();
        return all;
    }
}
