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
 * Those of one client who wait for one name, first come first served, and the attempts under way for them: one for all
 * who want the same and share it, and those of requests that have one of their own. Guarded by the gate's monitor.
 */
final class Waiters {

    private final Map<Side, Set<Request>> sharing = bySide(); // those who share an attempt
    private final Map<Side, Set<Request>> alone = bySide(); // those who have one of their own
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

    /** One who shares an attempt with those who want the same. */
    void add(Request request) {
        of(sharing, request.side()).add(request);
    }

    /** One who has an attempt of his own. */
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

    /** Whether somebody waits who wants something else. */
    boolean hasOtherThan(Side side) {
        for (Side other : Side.values()) {
            if (other != side && !isEmpty(other)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Whether somebody is to have the lock before one who comes now: who wants something else, or is known to wait. Who
     * wants what can be had beside this may get it at once.
     */
    boolean goBefore(Side side) {
        return hasOtherThan(side)
                || (!side.tolerates(side) && !isEmpty(side))
                || of(sharing, side).stream().anyMatch(Request::isContended)
                || of(alone, side).stream().anyMatch(Request::isContended);
    }

    /** Those who want this and share an attempt, in the order in which they came. */
    List<Request> sharing(Side side) {
        return List.copyOf(of(sharing, side));
    }

    /** The first of those who share an attempt; null if there is nobody. */
    @Nullable
    Request firstSharing(Side side) {
        Iterator<Request> first = of(sharing, side).iterator();
        return first.hasNext() ? first.next() : null;
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
        remove(request);
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

    /** The attempts that are shared, and what for. */
    Map<Side, Attempt> shared() {
        return Map.copyOf(shared);
    }

    /** Everybody out. */
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
