package io.wellkeeper.jdbc;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The requests of one session that wait to be carried out, one at a time. Those about one lock are carried out in the order in
 * which they came. Heartbeats go before everything else. After them the oldest request has every second turn; the other turns
 * are for the locks about which something else is asked than for another ticket: so a client that asks for thousands of locks
 * at once gives back meanwhile what it has, and learns what it has got, and a client that gives back again and again still gets
 * what it asks for.
 *
 * <p>Not thread-safe.
 */
final class RequestLine {

    private static final int TRUSTED = 2; // so many connections may break below a request before it is the suspect
    private static final long LONG_NANOS = Duration.ofMillis(100).toNanos();

    /** What has become of an attempt. */
    enum Outcome {
        /** Well or not. */
        ANSWERED,
        /** Other transactions were in the way. */
        IN_THE_WAY,
        /** The connection has broken, and nobody knows whether it was carried out. */
        BROKEN,
        /** There is no connection. */
        UNREACHABLE
    }

    /**
     * One request.
     *
     * @param isTaking whether it asks for a ticket, or for the notice that is to be read with it
     * @param number the place among all of them
     * @param tries in which other transactions were in its way
     * @param broken connections that it was sent on
     * @param spentNanos how long these tries have taken
     */
    record Open(
            Step step,
            Map<String, ?> parameters,
            CompletableFuture<List<Object[]>> result,
            boolean isTaking,
            long number,
            int tries,
            int broken,
            long spentNanos) {

        private @Nullable Object lock() {
            return parameters.get("name");
        }

        /** Whether it may take long each time that it is carried out; the others do not wait for that. */
        private boolean isSlow() {
            return spentNanos >= LONG_NANOS || broken > TRUSTED;
        }

        /** Whether this gives a ticket of the session's own back, and the next one takes another of the same lock. */
        private boolean isExchangedBy(Open next) {
            return step == Step.REMOVE
                    && next.step == Step.TAKE
                    && Objects.equals(parameters.get("owner"), parameters.get("me"));
        }
    }

    /** The requests about one lock, or one request that is about no lock in particular. */
    private static final class Lane {

        final Deque<Open> waiting = new ArrayDeque<>(); // never empty outside of this class's methods
        int urgent; // how many of them ask for something else than a ticket

        void count(Open request, int more) {
            urgent += request.isTaking ? 0 : more;
        }

        boolean isUrgent() {
            return urgent > 0 && !waiting.getFirst().isSlow();
        }

        boolean endsWithTake() {
            return !waiting.isEmpty() && waiting.getLast().step == Step.TAKE;
        }
    }

    private final Deque<Open> heartbeats = new ArrayDeque<>();
    private final Map<Object, Lane> lanes = new HashMap<>(); // by lock
    private final NavigableMap<Long, Lane> byAge = new TreeMap<>(); // all, by the number of the first request
    private final Set<Lane> urgent = new LinkedHashSet<>();
    private boolean isTurnOfTheOldest;
    private long last; // number

    /** A heartbeat that waits is that of all who ask for one meanwhile, so that the client's own never waits behind many. */
    CompletableFuture<List<Object[]>> add(Step step, Map<String, ?> parameters) {
        if (step == Step.HEARTBEAT) {
            if (heartbeats.isEmpty()) {
                heartbeats.add(new Open(step, parameters, new CompletableFuture<>(), false, ++last, 0, 0, 0));
            }
            return heartbeats.getFirst().result;
        }
        Lane lane = leave(parameters.get("name"));
        boolean isTaking = step == Step.TAKE || step == Step.NOTICE && lane.endsWithTake();
        Open request = new Open(step, parameters, new CompletableFuture<>(), isTaking, ++last, 0, 0, 0);
        lane.waiting.addLast(request);
        lane.count(request, 1);
        enter(lane);
        return request.result;
    }

    boolean isEmpty() {
        return heartbeats.isEmpty() && byAge.isEmpty();
    }

    /** What is to be carried out next; null if nothing waits. */
    @Nullable
    Open poll() {
        if (!heartbeats.isEmpty()) {
            return heartbeats.poll();
        }
        if (byAge.isEmpty()) {
            return null;
        }
        boolean oldest = isTurnOfTheOldest || urgent.isEmpty();
        isTurnOfTheOldest = !oldest;
        return poll(oldest ? byAge.firstEntry().getValue() : urgent.iterator().next());
    }

    /** What can be carried out together with a request that was polled, because it is the next one about that lock. */
    @Nullable
    Open pollExchangeOf(Open request) {
        Lane lane = lanes.get(request.lock());
        return lane != null && request.isExchangedBy(lane.waiting.getFirst()) ? poll(lane) : null;
    }

    private Open poll(Lane lane) {
        byAge.remove(lane.waiting.getFirst().number);
        Open first = lane.waiting.remove();
        lane.count(first, -1);
        urgent.remove(lane); // to the end of those, if it is one of them again
        if (!lane.waiting.isEmpty()) {
            enter(lane);
        } else {
            lanes.remove(first.lock(), lane);
        }
        return first;
    }

    /**
     * A request was not answered, and is to be tried again, before what else waits that is about its lock. What is about one lock
     * lets pass what else waits now if others were in its way or several connections broke below it, and what reads about many
     * always does. Everything else keeps its age.
     *
     * @param spentNanos by this attempt
     */
    void putBack(Open request, Outcome outcome, long spentNanos) {
        boolean isSuspect = outcome == Outcome.IN_THE_WAY || outcome == Outcome.BROKEN && request.broken >= TRUSTED;
        boolean yields = request.lock() == null ? request.step.isReading() : isSuspect;
        Open again = new Open(
                request.step,
                request.parameters,
                request.result,
                request.isTaking,
                yields ? ++last : request.number,
                request.tries + (outcome == Outcome.IN_THE_WAY ? 1 : 0),
                request.broken + (outcome == Outcome.BROKEN ? 1 : 0),
                request.spentNanos + (outcome == Outcome.IN_THE_WAY ? spentNanos : 0));
        if (again.step == Step.HEARTBEAT) {
            heartbeats.addFirst(again);
            return;
        }
        Lane lane = leave(again.lock());
        lane.waiting.addFirst(again);
        lane.count(again, 1);
        enter(lane);
    }

    /** The lane of the requests about a lock, which is about to change; one of its own for what is about none. */
    private Lane leave(@Nullable Object lock) {
        Lane lane = lock == null ? new Lane() : lanes.computeIfAbsent(lock, unused -> new Lane());
        if (!lane.waiting.isEmpty()) {
            byAge.remove(lane.waiting.getFirst().number);
        }
        return lane;
    }

    private void enter(Lane lane) {
        byAge.put(lane.waiting.getFirst().number, lane);
        if (lane.isUrgent()) {
            urgent.add(lane);
        } else {
            urgent.remove(lane);
        }
    }

    /** All that waits, none of which does any more. */
    List<Open> clear() {
        List<Open> all = new ArrayList<>(heartbeats);
        byAge.values().forEach(lane -> all.addAll(lane.waiting));
        heartbeats.clear();
        lanes.clear();
        byAge.clear();
        urgent.clear();
        return all;
    }
}
