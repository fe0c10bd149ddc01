package io.wellkeeper.internal;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Those of one client who wait for one name, first come first served, and the attempts under way for them: one for all
 * who want the same and share it, and those of requests that have one of their own. Guarded by the gate's monitor.
 */
final class Waiters {

    private final Set<Request> requests = new LinkedHashSet<>();
    private final Map<Side, Attempt> shared = new EnumMap<>(Side.class);

    void add(Request request) {
        requests.add(request);
    }

    void remove(Request request) {
        requests.remove(request);
    }

    boolean isEmpty() {
        return requests.isEmpty() && shared.isEmpty();
    }

    /** Whether somebody waits who wants something else. */
    boolean hasOtherThan(Side side) {
        for (Request request : requests) {
            if (request.side() != side) {
                return true;
            }
        }
        return false;
    }

    /** Those who want this and share an attempt, in the order in which they came. */
    List<Request> sharing(Side side) {
        return requests.stream().filter(request -> isSharing(request, side)).toList();
    }

    /** The first of those who share an attempt; null if there is nobody. */
    @Nullable
    Request firstSharing(Side side) {
        for (Request request : requests) {
            if (isSharing(request, side)) {
                return request;
            }
        }
        return null;
    }

    private static boolean isSharing(Request request, Side side) {
        return request.side() == side && request.attempt() == null;
    }

    /** Whether an attempt is needed that nobody makes yet. */
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

    /** This attempt has ended. */
    void ended(@Nullable Attempt attempt) {
        shared.values().remove(attempt);
    }

    /**
     * Takes a request out, and with it the attempt that serves nobody any more.
     *
     * @return the attempt to abandon, if any
     */
    @Nullable
    Attempt leave(Request request) {
        requests.remove(request);
        return request.attempt() != null ? request.attempt() : dropUnneeded(request.side());
    }

    /** The attempt that those who want this shared, if they are no more. */
    @Nullable
    Attempt dropUnneeded(Side side) {
        return firstSharing(side) == null ? shared.remove(side) : null;
    }

    /** Those whom the end of an attempt concerns: the request it was made for, or all who share it. */
    List<Request> concernedBy(@Nullable Request bound, Side side) {
        if (bound != null) {
            return requests.contains(bound) ? List.of(bound) : List.of();
        }
        return sharing(side);
    }

    List<Attempt> attempts() {
        List<Attempt> all = new ArrayList<>(shared.values());
        for (Request request : requests) {
            if (request.attempt() != null) {
                all.add(request.attempt());
            }
        }
        return all;
    }

    /** The attempts that are shared, and what for. */
    Map<Side, Attempt> shared() {
        return Map.copyOf(shared);
    }

    /** Everybody out. */
    List<Request> clear() {
        List<Request> all = List.copyOf(requests);
        requests.clear();
        shared.clear();
        return all;
    }
}
