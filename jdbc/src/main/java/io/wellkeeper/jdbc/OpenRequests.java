package io.wellkeeper.jdbc;

import io.wellkeeper.spi.RequestLine;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The requests of one session that wait to be carried out, one at a time: heartbeats before everything else, and all
 * others in the order of a {@link RequestLine}.
 *
 * <p>Not thread-safe.
 */
final class OpenRequests {

    private static final int TRUSTED = 2; // a request under which more connections broke is suspected of breaking them
    private static final long LONG_NANOS = Duration.ofMillis(100).toNanos();

    /** What has become of an attempt. */
    enum Outcome {
        /** With a result or a failure. */
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
     * @param number the place among all of them
     * @param tries how often other transactions were in its way
     * @param broken how many connections broke that it was sent on
     * @param spentNanos how long these tries have taken
     */
    record Open(
            Step step,
            Map<String, ?> parameters,
            CompletableFuture<List<Object[]>> result,
            long number,
            int tries,
            int broken,
            long spentNanos)
            implements RequestLine.Request {

        /** Null of a request that looks at many locks, which may overtake those about one. */
        @Override
        public @Nullable Object lock() {
            return parameters.get("name");
        }

        @Override
        public boolean isTaking() {
            return step.isTaking();
        }

        @Override
        public boolean isSlow() {
            return spentNanos >= LONG_NANOS || broken > TRUSTED;
        }

        /**
         * Whether this request gives back a ticket of the session's own, and the next one takes another of the same
         * lock.
         */
        private boolean isExchangedBy(Open next) {
            return step == Step.REMOVE
                    && next.step == Step.TAKE
                    && Objects.equals(parameters.get("owner"), parameters.get("me"));
        }
    }

    private final Deque<Open> heartbeats = new ArrayDeque<>();
    private final RequestLine<Open> others = new RequestLine<>();
    private long last; // number

    /** A waiting heartbeat serves all who ask for one meanwhile, so that the client's own never waits behind many. */
    CompletableFuture<List<Object[]>> add(Step step, Map<String, ?> parameters) {
        if (step == Step.HEARTBEAT) {
            if (heartbeats.isEmpty()) {
                heartbeats.add(open(step, parameters));
            }
            return heartbeats.getFirst().result;
        }
        Open request = open(step, parameters);
        others.add(request);
        return request.result;
    }

    private Open open(Step step, Map<String, ?> parameters) {
        return new Open(step, parameters, new CompletableFuture<>(), ++last, 0, 0, 0);
    }

    boolean isEmpty() {
        return heartbeats.isEmpty() && others.isEmpty();
    }

    /** The request to be carried out next; null if none waits. */
    @Nullable
    Open poll() {
        return heartbeats.isEmpty() ? others.poll() : heartbeats.poll();
    }

    /** The next request about the lock of a polled request, if both can be carried out together; else null. */
    @Nullable
    Open pollExchangeOf(Open request) {
        Object lock = request.lock();
        if (lock == null) {
            return null;
        }
        Open next = others.peekFirst(lock);
        return next != null && request.isExchangedBy(next) ? others.poll(lock) : null;
    }

    /**
     * A request was not answered, and is to be tried again, before the other waiting requests about its lock. A request
     * about one lock lets all other requests that wait now pass if transactions were in its way, or several connections
     * broke below it. A request that looks at many locks always does so. All others keep their age.
     *
     * @param spentNanos by this attempt
     */
    void putBack(Open request, Outcome outcome, long spentNanos) {
        boolean isSuspect = outcome == Outcome.IN_THE_WAY || outcome == Outcome.BROKEN && request.broken >= TRUSTED;
        boolean yields = request.lock() == null ? request.step.mayBeGivenUp() : isSuspect;
        Open again = new Open(
                request.step,
                request.parameters,
                request.result,
                yields ? ++last : request.number,
                request.tries + (outcome == Outcome.IN_THE_WAY ? 1 : 0),
                request.broken + (outcome == Outcome.BROKEN ? 1 : 0),
                request.spentNanos + (outcome == Outcome.IN_THE_WAY ? spentNanos : 0));
        if (again.step == Step.HEARTBEAT) {
            heartbeats.addFirst(again);
        } else {
            others.putBack(again);
        }
    }

    /** Empties the line; returns the requests that waited. */
    List<Open> clear() {
        List<Open> all = new ArrayList<>(heartbeats);
        heartbeats.clear();
        all.addAll(others.clear());
        return all;
    }
}
